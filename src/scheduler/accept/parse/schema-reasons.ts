// Makes reasons of what a schema found wrong: one for each member, with the nearest known name for an unknown one.
import { z } from 'zod';
import { boundText, issueText, typeName } from '../../../platform/http/issue-text.js';
import { MOST_LISTED, restOf } from '../../../platform/most-listed.js';
import { lengthOf } from '../../../platform/text-length.js';
import { nearest } from '../../decide/nearest-name.js';
import { shown } from '../../decide/quote-value.js';
import { below, reason, REASON_CODES, type Reason, type ReasonCode } from './reason.js';

/** A value as a schema reads it. */
export interface ReadValue<Data> {
  /** undefined where there are reasons. */
  readonly data: Data | undefined;
  readonly reasons: readonly Reason[];
}

/** `value` read by `schema`, or its faults, one for each member. `pointer` says where in the event the value stands. */
export function readValue<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  pointer: string,
): ReadValue<z.output<Schema>> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return { data: parsed.data, reasons: [] };
  // An empty text is too short and also has the wrong form: only the first of several reasons is kept.
  const first = new Map<string, Reason>();
  let more = 0;
  for (const issue of parsed.error.issues) {
    // Where there are a hundred thousand faults, the texts of a few are made; the others are counted.
    const left = MOST_LISTED - first.size;
    if (left > 0) {
      for (const one of reasonsOf(firstKeys(issue, left), schema, value, pointer))
        if (!first.has(one.pointer)) first.set(one.pointer, one);
    }
    more += faultsIn(issue) - (left > 0 ? Math.min(left, faultsIn(issue)) : 0);
  }
  return { data: undefined, reasons: more > 0 ? [...first.values(), restOf(more)] : [...first.values()] };
}

function faultsIn(issue: z.core.$ZodIssue): number {
  return issue.code === 'unrecognized_keys' ? issue.keys.length : 1;
}

function firstKeys(issue: z.core.$ZodIssue, most: number): z.core.$ZodIssue {
  return issue.code === 'unrecognized_keys' ? { ...issue, keys: issue.keys.slice(0, most) } : issue;
}

function reasonsOf(issue: z.core.$ZodIssue, schema: z.ZodType, root: unknown, pointer: string): Reason[] {
  const at = issue.path.reduce<string>((path, segment) => below(path, String(segment)), pointer);
  const value = valueAt(root, issue.path);
  const schemaHere = schemaAt(schema, issue.path);
  if (issue.code === 'unrecognized_keys') {
    const known = Object.keys(objectIn(schemaHere)?.shape ?? {});
    return issue.keys.map((key) => reason(below(at, key), 'UNKNOWN_MEMBER', unknownMember(key, known)));
  }
  const example = suchAs(schemaHere);
  if (value === undefined && issue.code !== 'invalid_key')
    return [reason(at, 'REQUIRED', `is required${example}`)];
  const members = issue.code === 'invalid_union' ? ofMembers(issue, value) : undefined;
  if (members === undefined) return [reason(at, ...codeAndText(issue, value, example))];
  return members.flatMap((inner) => reasonsOf(inner, schema, root, pointer));
}

/** What is wrong with one value. `example`: `, such as "vip"`, or nothing. */
function codeAndText(issue: z.core.$ZodIssue, value: unknown, example: string): [ReasonCode, string] {
  switch (issue.code) {
    case 'invalid_type':
      return ['WRONG_TYPE', `must be ${typeName(issue.expected)}${example}, not ${shown(value)}`];
    case 'invalid_value':
      return ['WRONG_VALUE', `must be ${issue.values.map(shown).join(' or ')}, not ${shown(value)}`];
    case 'invalid_format':
      return ['WRONG_FORMAT', `${issueText(issue)}${example}, not ${shown(value)}`];
    case 'too_small':
      return ['TOO_SHORT', `${boundText('least', issue.minimum, issue.origin)}${example}`];
    case 'too_big':
      return ['TOO_LONG', `${boundText('most', issue.maximum, issue.origin)}, not ${sizeOf(value)}`];
    case 'invalid_key': {
      const why = issue.issues[0]?.message ?? '';
      return ['UNKNOWN_MEMBER', `${shown(issue.path.at(-1))} is not taken here: it ${why}`];
    }
    case 'custom':
    case 'invalid_element':
    case 'invalid_union':
    case 'not_multiple_of':
    case 'unrecognized_keys':
    default:
      return [codeOf(issue), `${issueText(issue)}${example}, not ${shown(value)}`];
  }
}

function sizeOf(value: unknown): string {
  if (typeof value === 'string') return String(lengthOf(value));
  return Array.isArray(value) ? String(value.length) : shown(value);
}

function unknownMember(name: string, known: readonly string[]): string {
  const hint = known.includes('custom') ? '; members of your own stand under "custom"' : '';
  return `${shown(name)} is no member here${nearest(name, known)}; the members here are ${known.join(', ')}${hint}`;
}

/** For an object that fits no option of a union: what is wrong with it, judged by the option that is an object. */
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

/** `, such as "vip"`: the example that the schema has, or nothing. */
function suchAs(schema: z.ZodType | undefined): string {
  const example = [...layersOf(schema), objectIn(schema)].map(exampleOf).find((one) => one !== undefined);
  return example === undefined ? '' : `, such as ${shown(example)}`;
}

/** The first word of a closed list. */
function exampleOf(schema: z.ZodType | undefined): unknown {
  if (schema instanceof z.ZodEnum) return schema.options[0];
  if (schema instanceof z.ZodLiteral) return [...schema.values][0];
  const { examples } = (schema === undefined ? undefined : z.globalRegistry.get(schema)) ?? {};
  return Array.isArray(examples) ? (examples[0] as unknown) : undefined;
}

/** The schema of the value at `path`, with the optional and nullable schemas around it. */
function schemaAt(schema: z.ZodType, path: readonly PropertyKey[]): z.ZodType | undefined {
  let here: z.ZodType | undefined = schema;
  for (const segment of path) {
    const inner = layersOf(here).at(-1);
    const object = objectIn(inner);
    if (object !== undefined) here = object.shape[String(segment)] as z.ZodType | undefined;
    else if (inner instanceof z.ZodArray) here = inner.element as z.ZodType;
    else if (inner instanceof z.ZodRecord) here = inner.valueType as z.ZodType;
    else return undefined;
  }
  return here;
}

/** A schema and what it wraps as optional or nullable, from the outside in. */
function layersOf(schema: z.ZodType | undefined): z.ZodType[] {
  if (schema === undefined) return [];
  const isWrapper = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  return isWrapper ? [schema, ...layersOf(schema.unwrap() as z.ZodType)] : [schema];
}

/** The object that a schema describes; of a union, the first option that is an object. */
function objectIn(schema: z.ZodType | undefined): z.ZodObject | undefined {
  const inner = layersOf(schema).at(-1);
  const options = inner instanceof z.ZodUnion ? (inner.options as z.ZodType[]) : [inner];
  return options.find((option) => option instanceof z.ZodObject);
}
