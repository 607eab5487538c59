// From the bytes of a body to a JSON value that the database can store and every walk over it can bear. Refuses with 400/100
// and the place of the fault; never throws a RangeError for deep nesting.
import secureJson from 'secure-json-parse';
import { isStorable } from '../../platform/http/storable-text.js';
import { JSON_CONTENT_TYPE } from '../../push-contract/headers.js';
import { asksForXml } from './error-body.js';
import { badRequest } from './push-error.js';
import { placeOf } from './validate.js';

/** What the content-type parser leaves on the request. */
export interface RawBody {
  readonly bytes: Buffer;
  readonly contentType: string | undefined;
  /** It has a Content-Encoding, of which we take none: a small body could unfold to any size. */
  readonly isPacked: boolean;
}

/** JSON.stringify recurses; this is far below where it breaks and far above what a message needs. */
const MAX_DEPTH = 32;

const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

/** The rule that isStorable() checks, as a caller reads it. */
export const STORABLE = 'must not hold NUL or a lone surrogate';

/** The JSON value of a body that the operation requires (push-interface.md §4: `application/json; charset=utf-8`). */
export function readJson(body: RawBody | undefined): unknown {
  if (body === undefined || body.bytes.length === 0) throw badRequest('body: is required, as JSON');
  if (body.isPacked) throw badRequest('Content-Encoding: must be identity, or not be given');
  const xml = asksForXml(body.contentType);
  if (!xml && !JSON_TYPE.test(body.contentType?.trim() ?? '')) {
    throw badRequest(`Content-Type: must be ${JSON_CONTENT_TYPE}`);
  }
  const value = parse(body.bytes, xml);
  checkValue(value, []);
  return value;
}

function parse(bytes: Buffer, xml: boolean): unknown {
  try {
    // A member named __proto__ is no member of any body: it is dropped, as unknown members are.
    return secureJson.parse(bytes.toString('utf8'), undefined, {
      protoAction: 'remove',
      constructorAction: 'ignore',
    });
  } catch {
    // push-decisions.md, "Gateway": an XML request carries none of the JSON members.
    if (xml)
      throw badRequest('body: holds none of the required members; it must be JSON', { missingField: true });
    throw badRequest('body: is no JSON');
  }
}

/**
 * Every text and name can be stored, and nesting is bounded. `path` leads to the value; its text is made only where there is a
 * fault: made for each of the 500 000 numbers that a body can hold, it kept the event loop for 250 to 350 ms.
 */
function checkValue(value: unknown, path: PropertyKey[]): void {
  if (typeof value === 'string') {
    if (!isStorable(value)) throw badRequest(`${placeOf(path) || 'body'}: ${STORABLE}`);
  } else if (typeof value === 'object' && value !== null) {
    if (path.length === MAX_DEPTH) throw badRequest(`body: is nested deeper than ${MAX_DEPTH} levels`);
    // By keys: a pair for each of them takes half as long again.
    for (const part of Array.isArray(value) ? value.keys() : Object.keys(value)) {
      if (typeof part === 'string' && !isStorable(part))
        throw badRequest(`${placeOf(path) || 'body'}: a name ${STORABLE}`);
      const inner = (value as Record<PropertyKey, unknown>)[part];
      // Nothing is wrong with numbers, of which there may be most: not to be called for them halves the time.
      if (typeof inner !== 'string' && typeof inner !== 'object') continue;
      path.push(part);
      checkValue(inner, path);
      path.pop();
    }
  }
}
