// Reads the JSON value of a body. The database can store the value, and recursive code can walk it. Refuses with 400/100 and the
// place of the fault; never throws a RangeError for deep nesting.
import secureJson from 'secure-json-parse';
import { isStorable } from '../../platform/http/storable-text.js';
import { JSON_CONTENT_TYPE } from '../../push-contract/headers.js';
import { asksForXml } from './error-body.js';
import { badRequest } from './push-error.js';
import { placeOf } from './validate.js';

/** The body as the content-type parser puts it on the request. */
export interface RawBody {
  readonly bytes: Buffer;
  readonly contentType: string | undefined;
  /** It has a Content-Encoding. We take none, because a small body could unpack to any size. */
  readonly isPacked: boolean;
}

/** JSON.stringify recurses. This depth is far below its limit, and far above what a message needs. */
const MAX_DEPTH = 32;

const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

/** The rule that isStorable() checks, in words for a caller. */
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
    // A member named __proto__ belongs to no body: it is dropped, as unknown members are.
    return secureJson.parse(bytes.toString('utf8'), undefined, {
      protoAction: 'remove',
      constructorAction: 'ignore',
    });
  } catch {
    // push-decisions.md, "Gateway": an XML request has none of the JSON members.
    if (xml)
      throw badRequest('body: holds none of the required members; it must be JSON', { missingField: true });
    throw badRequest('body: is no JSON');
  }
}

/**
 * Checks that every text and name can be stored, and bounds the nesting. `path` leads to the value. Its text is made only for a
 * fault: to make it for each of the 500 000 numbers that a body can have held the event loop for 250 to 350 ms.
 */
function checkValue(value: unknown, path: PropertyKey[]): void {
  if (typeof value === 'string') {
    if (!isStorable(value)) throw badRequest(`${placeOf(path) || 'body'}: ${STORABLE}`);
  } else if (typeof value === 'object' && value !== null) {
    if (path.length === MAX_DEPTH) throw badRequest(`body: is nested deeper than ${MAX_DEPTH} levels`);
    // Goes by keys: to go by pairs takes half as long again.
    for (const key of Array.isArray(value) ? value.keys() : Object.keys(value)) {
      if (typeof key === 'string' && !isStorable(key))
        throw badRequest(`${placeOf(path) || 'body'}: a name ${STORABLE}`);
      const inner = (value as Record<PropertyKey, unknown>)[key];
      // Numbers need no check, and there may be most of them: to skip them halves the time.
      if (typeof inner !== 'string' && typeof inner !== 'object') continue;
      path.push(key);
      checkValue(inner, path);
      path.pop();
    }
  }
}
