// From the bytes of a body to a JSON value that the database and every walk over it can bear. Refuses with 400/100 and
// the place of the fault; never throws a RangeError for deep nesting.
import secureJson from 'secure-json-parse';
import { JSON_CONTENT_TYPE } from '../../push-contract/headers.js';
import { asksForXml } from './error-body.js';
import { badRequest } from './push-error.js';

/** What the content-type parser leaves on the request. */
export interface RawBody {
  readonly bytes: Buffer;
  readonly contentType: string | undefined;
  /** By its Content-Encoding, of which we take none: a small body could unfold to any size. */
  readonly isPacked: boolean;
}

/** JSON.stringify recurses; this is far below where it breaks and far above what a message needs. */
const MAX_DEPTH = 32;

const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

/** The JSON value of a body that the operation requires (push-interface.md §4: `application/json; charset=utf-8`). */
export function readJson(body: RawBody | undefined): unknown {
  if (body === undefined || body.bytes.length === 0) throw badRequest('body: is required, as JSON');
  if (body.isPacked) throw badRequest('Content-Encoding: must be identity, or not be given');
  const xml = asksForXml(body.contentType);
  if (!xml && !JSON_TYPE.test(body.contentType?.trim() ?? '')) {
    throw badRequest(`Content-Type: must be ${JSON_CONTENT_TYPE}`);
  }
  const value = parse(body.bytes, xml);
  checkBearable(value, '', 0);
  return value;
}

function parse(bytes: Buffer, xml: boolean): unknown {
  try {
    // A member named __proto__ is no member of any body: dropped like others that are unknown.
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

/** NUL and lone surrogates cannot be stored as text; nesting is bounded. */
function checkBearable(value: unknown, place: string, depth: number): void {
  if (typeof value === 'string') {
    if (!isBearable(value)) throw badRequest(`${place || 'body'}: must not hold NUL or a lone surrogate`);
  } else if (typeof value === 'object' && value !== null) {
    if (depth === MAX_DEPTH) throw badRequest(`body: is nested deeper than ${MAX_DEPTH} levels`);
    for (const [key, member] of Object.entries(value)) {
      if (!isBearable(key))
        throw badRequest(`${place || 'body'}: a name must not hold NUL or a lone surrogate`);
      checkBearable(
        member,
        Array.isArray(value) ? `${place}[${key}]` : place === '' ? key : `${place}.${key}`,
        depth + 1,
      );
    }
  }
}

/** Whether PostgreSQL can store the text. */
export function isBearable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
