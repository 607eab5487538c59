// From the bytes of a body to a JSON value that the database can store and every walk over it can bear. Refuses with 400/100
// and the place of the fault; never throws a RangeError for deep nesting.
import secureJson from 'secure-json-parse';
import { isStorable } from '../../platform/http/storable-text.js';
import { JSON_CONTENT_TYPE } from '../../push-contract/headers.js';
import { asksForXml } from './error-body.js';
import { badRequest } from './push-error.js';
import { placeIn } from './validate.js';

/** What the content-type parser leaves on the request. */
export interface RawBody {
  readonly bytes: Buffer;
  readonly contentType: string | undefined;
  /** It has a Content-Encoding, of which we take none: a small body could unfold to any size. */
  readonly isPacked: boolean;
}

/** JSON.stringify recurses; this is far below where it breaks and far above what a message needs. */
const MAX_DEPTH = 32;

const NESTING = `is nested deeper than ${MAX_DEPTH} levels`;

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
  const fault = faultIn(value, 0);
  if (fault === undefined) return value;
  // What is nested too deep is the body's fault: a way of 32 names says no more.
  const place =
    fault.rule === NESTING ? '' : fault.way.reduce<string>((outer, part) => placeIn(outer, part), '');
  throw badRequest(`${place || 'body'}: ${fault.rule}`);
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

/** What a body may not hold, and the way to it: names of members, numbers of elements. */
interface Fault {
  readonly way: PropertyKey[];
  readonly rule: string;
}

/**
 * Finds the first text or name that cannot be stored, or nesting beyond MAX_DEPTH. The way to a fault is made only where there
 * is one: made for each of the 500 000 numbers that a body can hold, it kept the event loop for 250 to 350 ms.
 */
function faultIn(value: unknown, depth: number): Fault | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : { way: [], rule: STORABLE };
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === MAX_DEPTH) return { way: [], rule: NESTING };
  return Array.isArray(value) ? faultInElements(value, depth) : faultInMembers(value, depth);
}

function faultInElements(elements: readonly unknown[], depth: number): Fault | undefined {
  for (let index = 0; index < elements.length; index += 1) {
    const fault = faultIn(elements[index], depth + 1);
    if (fault !== undefined) return within(index, fault);
  }
  return undefined;
}

function faultInMembers(members: object, depth: number): Fault | undefined {
  for (const [name, member] of Object.entries(members)) {
    if (!isStorable(name)) return { way: [], rule: `a name ${STORABLE}` };
    const fault = faultIn(member, depth + 1);
    if (fault !== undefined) return within(name, fault);
  }
  return undefined;
}

function within(part: PropertyKey, { way, rule }: Fault): Fault {
  return { way: [part, ...way], rule };
}
