// Bytes → a JSON value that means the same to every reader, or every reason why not. It also finds what JSON.parse accepts
// without a word: names given twice, numbers that a double cannot hold, text that PostgreSQL cannot store, and names that
// would reach an object's prototype.
import { decodeUtf8 } from '../../../platform/utf8.js';
import { isStorable } from '../../../platform/http/storable-text.js';
import { shown } from '../../decide/quote-value.js';
import { MOST_LISTED, restOf } from '../../../platform/most-listed.js';
import { below, reason, type Reason, type ReasonCode } from './reason.js';

export const MAX_JSON_DEPTH = 32;

export const NOT_STORABLE = 'text may not hold U+0000 or half of a surrogate pair: leave it out';

export interface ReadJson {
  /** As JSON.parse reads it; undefined where it cannot. */
  readonly value: unknown;
  readonly problems: readonly Reason[];
  /** Whether a schema may look into the value for further problems. */
  readonly usable: boolean;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `pointer` says where in the event the value stands. */
export function readJson(bytes: Uint8Array, pointer: string): ReadJson {
  const text = decodeUtf8(bytes);
  if (text === undefined) return notJson(reason(pointer, 'NOT_UTF8', 'the bytes are not UTF-8'));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const why = text.trim() === '' ? 'there is nothing' : error instanceof Error ? error.message : '';
    return notJson(reason(pointer, 'NOT_JSON', `this is not JSON: ${why}`));
  }
  const inspector = new JsonInspector(text, pointer);
  const problems = inspector.inspect();
  return { value, problems, usable: !inspector.hides };
}

function notJson(why: Reason): ReadJson {
  return { value: undefined, problems: [why], usable: false };
}

/**
 * The texts of a JSON array's elements, byte for byte as they stand; undefined where the value is no array. Only for text
 * that JSON.parse has accepted.
 */
export function elementsOf(text: string): string[] | undefined {
  const start = text.search(/\S/);
  if (text[start] !== '[') return undefined;
  const elements: string[] = [];
  let depth = 0;
  let from = start + 1;
  const take = (to: number): void => {
    const element = text.slice(from, to).trim();
    if (element !== '') elements.push(element);
    from = to + 1;
  };
  for (let at = start; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at);
    else if (char === '{' || char === '[') depth += 1;
    else if (char === ',' && depth === 1) take(at);
    else if (char === '}' || char === ']') {
      depth -= 1;
      if (depth === 0) take(at);
    }
  }
  return elements;
}

interface Frame {
  /** The names met so far; undefined for an array. */
  readonly names: Set<string> | undefined;
  /** The member or element being read. */
  place: string | number;
}

/** One pass over text that JSON.parse has accepted, so that the grammar need not be checked again. */
class JsonInspector {
  readonly #problems: Reason[] = [];
  readonly #frames: Frame[] = [];
  #more = 0;
  #nameFollows = false;
  #tooDeep = false;
  /** No schema may look into the value. */
  hides = false;

  constructor(
    private readonly text: string,
    private readonly root: string,
  ) {}

  inspect(): Reason[] {
    const { text } = this;
    for (let at = 0; at < text.length && !this.#tooDeep; at += 1) {
      const char = text.charAt(at);
      if (char === '"') at = this.#string(at);
      else if (char === '{') this.#open({ names: new Set(), place: '' });
      else if (char === '[') this.#open({ names: undefined, place: 0 });
      else if (char === '}' || char === ']') this.#frames.pop();
      else if (char === ',') this.#next();
      else if (char === '-' || (char >= '0' && char <= '9')) at = this.#number(at);
    }
    return this.#more === 0 ? this.#problems : [...this.#problems, restOf(this.#more)];
  }

  #open(frame: Frame): void {
    if (this.#frames.length === MAX_JSON_DEPTH) {
      // The inspection ends here: at a depth of half a million, even the pointer to a place takes long to make.
      this.#tooDeep = true;
      this.#problem('TOO_DEEP', `values are nested more than ${MAX_JSON_DEPTH} deep`);
    }
    this.#frames.push(frame);
    this.#nameFollows = frame.names !== undefined;
  }

  #next(): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return;
    this.#nameFollows = frame.names !== undefined;
    if (typeof frame.place === 'number') frame.place += 1;
  }

  #string(start: number): number {
    const end = endOfString(this.text, start);
    const frame = this.#frames.at(-1);
    const raw = this.text.slice(start, end + 1);
    const value = raw.includes('\\') ? String(JSON.parse(raw)) : raw.slice(1, -1);
    if (this.#nameFollows && frame?.names !== undefined) this.#name(frame, frame.names, value);
    if (!isStorable(value)) {
      this.#problem('NOT_STORABLE', NOT_STORABLE);
    }
    return end;
  }

  #name(frame: Frame, names: Set<string>, name: string): void {
    this.#nameFollows = false;
    frame.place = name;
    if (names.has(name)) this.#problem('DUPLICATE_MEMBER', `${shown(name)} is given twice: give it once`);
    names.add(name);
    if (name === '__proto__' || name === 'constructor') {
      this.#problem('FORBIDDEN_MEMBER', `${shown(name)} cannot be a member's name: give it another`);
    }
  }

  #number(start: number): number {
    let end = start + 1;
    while (end < this.text.length && !' \t\r\n,]}'.includes(this.text.charAt(end))) end += 1;
    const literal = this.text.slice(start, end);
    const value = Number(literal);
    // RFC 8785 hashes what a double holds: a number that does not fit would be sent on as a different one.
    if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
      const instead = `give it as a string, such as ${shown(literal)}`;
      this.#problem('NUMBER_NOT_EXACT', `the number is beyond ±(2^53 − 1): ${instead}`);
    }
    return end - 1;
  }

  #problem(code: ReasonCode, text: string): void {
    this.hides ||= code === 'TOO_DEEP' || code === 'FORBIDDEN_MEMBER';
    if (this.#problems.length === MOST_LISTED) {
      this.#more += 1;
      return;
    }
    const pointer = this.#frames.reduce(
      (path, frame) => (frame.place === '' ? path : below(path, frame.place)),
      this.root,
    );
    this.#problems.push(reason(pointer, code, text));
  }
}

/** The index of the quote that closes the string opened at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}
