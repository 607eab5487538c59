// The kinds of members of a body (push-interface.md §2). An explicit null counts as absent: an optional member is left out, a
// required one is refused. A caller reads each rule behind the name of the member.
import { z } from 'zod';
import { isLongerThan } from '../../platform/text-length.js';
import { COUNT_PAGE_SIZE } from '../../push-contract/limits.js';
import { REQUIRED } from './validate.js';

/** The error of a required member: it is absent, or it breaks the rule. */
export const asks =
  (rule: string) =>
  (issue: { readonly input: unknown }): string =>
    issue.input === undefined || issue.input === null ? REQUIRED : rule;

/** A required text of at most `max` characters, which may be empty. */
export function freeText(max: number) {
  return z
    .string({ error: asks('must be a string') })
    .refine((value) => !isLongerThan(value, max), `must have at most ${max} characters`)
    .meta({ maxLength: max });
}

/** A required text of 1 to `max` characters. */
export function text(max: number) {
  return freeText(max)
    .refine((value) => value !== '', 'must not be empty')
    .meta({ minLength: 1, maxLength: max });
}

/** A required text that matches the pattern. */
export function textLike(pattern: RegExp, rule: string) {
  return z.string({ error: asks('must be a string') }).regex(pattern, { error: rule, abort: true });
}

export function boolean() {
  return z.boolean({ error: asks('must be true or false') });
}

export function integer(min: number, max: number) {
  const rule = `must be an integer from ${min} to ${max}`;
  return z
    .number({ error: asks(rule) })
    .refine((value) => Number.isInteger(value) && value >= min && value <= max, rule)
    .meta({ type: 'integer', minimum: min, maximum: max });
}

/** A number in a query: digits and nothing else. JavaScript alone would also take an empty text, blanks and `0x10`. */
export function count(min: number, max: number, fallback: number) {
  const rule = `must be an integer from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,10}$/, rule)
    .transform(Number)
    .refine((value) => value >= min && value <= max, rule)
    .default(fallback)
    .meta({ type: 'integer', minimum: min, maximum: max, default: fallback });
}

/** Not specified: the counts of an extension may have many rows. A page with fewer than `pageSize` rows is the last. */
export const countPage = {
  pageSize: count(1, COUNT_PAGE_SIZE, COUNT_PAGE_SIZE),
  pageIndex: count(0, 2_147_483_647, 0),
};

/** One value of a closed list, written exactly so. */
export function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, { error: asks(`must be ${values.join(' or ')}`) });
}

/** A list of at least `min` and at most `max` elements. */
export function listOf<Element extends z.ZodType>(element: Element, min: number, max: number) {
  return z
    .array(element, { error: asks('must be an array') })
    .min(min, min === 1 ? 'must not be empty' : `must have at least ${min} elements`)
    .max(max, `must have at most ${max} elements`);
}

/** An object; unknown members are dropped. */
export function object<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object(shape, { error: asks('must be an object') });
}

/** An object whose members the caller names. */
export function record<Value extends z.ZodType>(value: Value) {
  return z.record(z.string(), value, { error: asks('must be an object') });
}

/** Absent and null alike become undefined. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** Absent and null alike become the default. */
export function withDefault<Schema extends z.ZodType>(schema: Schema, value: z.output<Schema>) {
  return schema.nullish().transform((given): z.output<Schema> => given ?? value);
}

export const CountPage = object(countPage);
export type CountPage = z.output<typeof CountPage>;
