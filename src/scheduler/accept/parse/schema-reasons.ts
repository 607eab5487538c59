// What a schema found wrong, told as reasons: one for each member, with the nearest known name for an unknown one.
import { closest, distance } from 'fastest-levenshtein';
import { z } from 'zod';
import { shown } from '../../decide/shown-value.js';
import { below, reason, REASON_CODES, type Reason, type ReasonCode } from './reason.js';

/** What a schema makes of a value. */
export interface ReadValue<Data> {
  /** undefined where there are reasons. */
  readonly data: Data | undefined;
  readonly reasons: readonly Reason[];
}

/** `value` by `schema`, or every fault of it, one for each member; `pointer` is where the value stands in the event. */
export function readValue<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  pointer: string,
): ReadValue<z.output<Schema>> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return { data: parsed.data, reasons: [] };
  const reasons = parsed.error.issues.flatMap((issue) => reasonsOf(issue, schema, value, pointer));
  // An empty text is too short, and of no form either: the first says what is taken.
  const oneEach = [...new Map(reasons.toReversed().map((one) => [one.pointer, one])).values()].toReversed();
  return { data: undefined, reasons: oneEach };
}

function reasonsOf(issue: z.core.$ZodIssue, schema: z.ZodType, root: unknown, pointer: string): Reason[] {
  const at = issue.path.reduce<string>((path, segment) => below(path, String(segment)), pointer);
  const value = valueAt(root, issue.path);
  if (issue.code === 'unrecognized_keys') {
    const known = membersAt(schema, issue.path);
    return issue.keys.map((key) => reason(below(at, key), 'UNKNOWN_MEMBER', unknownMember(key, known)));
  }
  const example = suchAs(schema, issue.path);
  if (value === undefined && issue.code !== 'invalid_key')
    return [reason(at, 'REQUIRED', `is required${example}`)];
  const members = issue.code === 'invalid_union' ? ofMembers(issue, value) : undefined;
  return (
    members?.flatMap((inner) => reasonsOf(inner, schema, root, pointer)) ?? [
      reasonAt(at, issue, { value, example }),
    ]
  );
}

interface Given {
  readonly value: unknown;
  /** `, such as "vip"`, or nothing. */
  readonly example: string;
}

/** What is wrong with the one value at `at`. */
function reasonAt(at: string, issue: z.core.$ZodIssue, { value, example }: Given): Reason {
  switch (issue.code) {
    case 'invalid_type':
      return reason(at, 'WRONG_TYPE', `must be ${aType(issue.expected)}${example}, not ${shown(value)}`);
    case 'invalid_value':
      return reason(
        at,
        'WRONG_VALUE',
        `must be ${issue.values.map(shown).join(' or ')}, not ${shown(value)}`,
      );
    case 'invalid_format':
      return reason(at, 'WRONG_FORMAT', `${issue.message}${example}, not ${shown(value)}`);
    case 'too_small':
      return reason(at, 'TOO_SHORT', `${bound('least', issue.minimum, issue.origin)}${example}`);
    case 'too_big':
      return reason(at, 'TOO_LONG', `${bound('most', issue.maximum, issue.origin)}, not ${sizeOf(value)}`);
    case 'invalid_key': {
      const name = shown(issue.path.at(-1));
      return reason(at, 'UNKNOWN_MEMBER', `${name} is not taken here: it ${issue.issues[0]?.message ?? ''}`);
    }
    case 'custom':
    case 'invalid_element':
    case 'invalid_union':
    case 'not_multiple_of':
    case 'unrecognized_keys':
    default:
      return reason(at, codeOf(issue), `${issue.message}${example}, not ${shown(value)}`);
  }
}

/** As JSON calls it: `record` is a word of the schema's. */
function aType(expected: string): string {
  const words: Readonly<Record<string, string>> = {
    array: 'an array',
    boolean: 'true or false',
    int: 'an integer',
    object: 'an object',
    record: 'an object',
  };
  return words[expected] ?? `a ${expected}`;
}

function bound(which: 'least' | 'most', size: number | bigint, origin: string): string {
  const unit = { string: 'character', array: 'element' }[origin];
  return unit === undefined
    ? `must be at ${which} ${size}`
    : `must have at ${which} ${size} ${unit}${Number(size) === 1 ? '' : 's'}`;
}

function sizeOf(value: unknown): string {
  return typeof value === 'string' || Array.isArray(value) ? String(value.length) : shown(value);
}

function unknownMember(name: string, known: readonly string[]): string {
  const own = known.includes('custom') ? '; members of your own stand under "custom"' : '';
  return `${shown(name)} is no member here${nearest(name, known)}; taken are ${known.join(', ')}${own}`;
}

/** What is wrong with an object as the one that would be taken; undefined where it is none. */
function ofMembers(issue: z.core.$ZodIssueInvalidUnion, value: unknown): z.core.$ZodIssue[] | undefined {
  if (typeof value !== 'object') return undefined;
  const found = issue.errors.find((errors) =>
    errors.every(({ code, path }) => path.length > 0 || code === 'unrecognized_keys'),
  );
  return found?.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

function codeOf(issue: z.core.$ZodIssue): ReasonCode {
  const given: unknown = issue.code === 'custom' ? issue.params?.['code'] : undefined;
  return REASON_CODES.find((code) => code === given) ?? 'WRONG_VALUE';
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, segment) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined;
    return (value as Record<PropertyKey, unknown>)[segment];
  }, root);
}

function membersAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  const here = objectIn(schemaAt(schema, path));
  return here === undefined ? [] : Object.keys(here.shape);
}

/** `, such as "vip"`: the example that the schema at `path` has, or nothing. */
function suchAs(schema: z.ZodType, path: readonly PropertyKey[]): string {
  let here = schemaAt(schema, path);
  for (;;) {
    const example = exampleOf(here);
    if (example !== undefined) return `, such as ${shown(example)}`;
    const inner = unwrapped(here) ?? objectIn(here);
    if (inner === undefined || inner === here) return '';
    here = inner;
  }
}

/** Of a closed list its first word. */
function exampleOf(schema: z.ZodType | undefined): unknown {
  if (schema instanceof z.ZodEnum) return schema.options[0];
  if (schema instanceof z.ZodLiteral) return [...schema.values][0];
  const { examples } = (schema === undefined ? undefined : z.globalRegistry.get(schema)) ?? {};
  return Array.isArray(examples) ? (examples[0] as unknown) : undefined;
}

/** The schema of the value at `path`, as it stands there: optional and nullable with it. */
function schemaAt(schema: z.ZodType, path: readonly PropertyKey[]): z.ZodType | undefined {
  let here: z.ZodType | undefined = schema;
  for (const segment of path) {
    const outer = bare(here);
    const object = objectIn(outer);
    if (object !== undefined) here = object.shape[String(segment)] as z.ZodType | undefined;
    else if (outer instanceof z.ZodArray) here = outer.element as z.ZodType;
    else if (outer instanceof z.ZodRecord) here = outer.valueType as z.ZodType;
    else return undefined;
  }
  return here;
}

function bare(schema: z.ZodType | undefined): z.ZodType | undefined {
  const inner = unwrapped(schema);
  return inner === undefined ? schema : bare(inner);
}

function unwrapped(schema: z.ZodType | undefined): z.ZodType | undefined {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? (schema.unwrap() as z.ZodType)
    : undefined;
}

/** Of a union the option that is one. */
function objectIn(schema: z.ZodType | undefined): z.ZodObject | undefined {
  const inner = bare(schema);
  if (inner instanceof z.ZodObject) return inner;
  return inner instanceof z.ZodUnion
    ? (inner.options as z.ZodType[]).find((option) => option instanceof z.ZodObject)
    : undefined;
}

/** `; did you mean "night"?`, or nothing where no name is near. */
export function nearest(given: string, known: readonly string[]): string {
  if (given.length > 100 || known.length === 0) return '';
  const lower = given.toLowerCase();
  const names = new Map(known.map((name) => [name.toLowerCase(), name]));
  const slip = closest(lower, [...names.keys()]);
  const best = names.get(slip);
  // Two letters of a short word are another word.
  const near = distance(lower, slip) <= Math.min(2, given.length - 1);
  return near ? `; did you mean ${JSON.stringify(best)}?` : '';
}
