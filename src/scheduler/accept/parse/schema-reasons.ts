// What a schema found wrong, told as reasons: one for each member, with the nearest known name for an unknown one.
import { closest, distance } from 'fastest-levenshtein';
import { z } from 'zod';
import { below, reason, REASON_CODES, shown, type Reason, type ReasonCode } from './reason.js';

/** Every fault of `value` by `schema`; `pointer` is where the value stands in the event. */
export function schemaReasons(schema: z.ZodType, value: unknown, pointer: string): Reason[] {
  const parsed = schema.safeParse(value);
  return parsed.success
    ? []
    : parsed.error.issues.flatMap((issue) => reasonsOf(issue, schema, value, pointer));
}

function reasonsOf(issue: z.core.$ZodIssue, schema: z.ZodType, root: unknown, pointer: string): Reason[] {
  const at = issue.path.reduce<string>((path, segment) => below(path, String(segment)), pointer);
  const value = valueAt(root, issue.path);
  if (issue.code === 'unrecognized_keys') {
    const known = memberNames(schema, issue.path);
    return issue.keys.map((key) =>
      reason(below(at, key), 'UNKNOWN_MEMBER', `${shown(key)} is no member here${nearest(key, known)}`),
    );
  }
  if (value === undefined && issue.code !== 'invalid_key') return [reason(at, 'REQUIRED', 'is required')];
  const members = issue.code === 'invalid_union' ? ofMembers(issue, value) : undefined;
  return members?.flatMap((inner) => reasonsOf(inner, schema, root, pointer)) ?? [reasonAt(at, issue, value)];
}

/** What is wrong with the one value at `at`. */
function reasonAt(at: string, issue: z.core.$ZodIssue, value: unknown): Reason {
  switch (issue.code) {
    case 'invalid_type':
      return reason(at, 'WRONG_TYPE', `must be of type ${issue.expected}, not ${shown(value)}`);
    case 'invalid_value':
      return reason(
        at,
        'WRONG_VALUE',
        `must be ${issue.values.map(shown).join(' or ')}, not ${shown(value)}`,
      );
    case 'invalid_format':
      return reason(at, 'WRONG_FORMAT', issue.message);
    case 'too_small':
      return reason(at, 'TOO_SHORT', `must be at least ${issue.minimum}${unit(issue.origin)}`);
    case 'too_big':
      return reason(at, 'TOO_LONG', `must be at most ${issue.maximum}${unit(issue.origin)}`);
    case 'invalid_key':
      return reason(at, 'UNKNOWN_MEMBER', issue.issues[0]?.message ?? 'the name is not known here');
    case 'custom':
    case 'invalid_element':
    case 'invalid_union':
    case 'not_multiple_of':
    case 'unrecognized_keys':
    default:
      return reason(at, codeOf(issue), issue.message);
  }
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

function unit(origin: string): string {
  if (origin === 'string') return ' characters long';
  return origin === 'array' ? ' elements long' : '';
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, segment) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined;
    return (value as Record<PropertyKey, unknown>)[segment];
  }, root);
}

/** The members that the object schema at `path` knows. */
function memberNames(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let here: unknown = bare(schema);
  for (const segment of path) {
    if (here instanceof z.ZodObject) here = bare(here.shape[String(segment)]);
    else if (here instanceof z.ZodArray) here = bare(here.element);
    else if (here instanceof z.ZodRecord) here = bare(here.valueType);
    else return [];
  }
  return here instanceof z.ZodObject ? Object.keys(here.shape) : [];
}

function bare(schema: unknown): unknown {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable) inner = inner.unwrap();
  return inner instanceof z.ZodUnion ? inner.options.find((option) => option instanceof z.ZodObject) : inner;
}

/** `; did you mean "night"?`, or nothing where no name is near. */
export function nearest(given: string, known: readonly string[]): string {
  if (given.length > 100 || known.length === 0) return '';
  const lower = given.toLowerCase();
  const sameButCase = known.find((name) => name.toLowerCase() === lower);
  const best = sameButCase ?? closest(given, known);
  const near =
    sameButCase !== undefined || distance(given, best) <= Math.max(2, Math.floor(given.length / 2));
  return near ? `; did you mean ${JSON.stringify(best)}?` : '';
}
