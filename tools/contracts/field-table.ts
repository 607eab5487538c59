// The fields of an event as a table of Markdown: name, type with its limits, and what it means, from the schema that reads
// them. Pure.
import type { z } from 'zod';
import { PUSH_OPTIONS } from '../../src/push-contract/payload/push-options.js';
import { jsonSchemaOf, type JsonSchema } from '../../src/platform/http/json-schema.js';
import { CommandData, EnvelopeData, ScheduledData } from '../../src/scheduler/accept/parse/campaign-event.js';
import { PolicyData } from '../../src/scheduler/store/policy-data.js';

/** By the name that stands between the markers of docs/use/campaign-events.md. */
export const FIELD_TABLES: Readonly<Record<string, z.ZodType>> = {
  envelope: EnvelopeData,
  data: ScheduledData,
  policy: PolicyData,
  command: CommandData,
};

/** Described where they stand alone. */
const OWN_TABLE = ['Policy'];

export function fieldTable(schema: z.ZodType): string {
  const whole = jsonSchemaOf(schema, 'input');
  const rows = rowsOf(whole, '', new FieldReader(whole));
  return [
    '| field | type | |',
    '| --- | --- | --- |',
    ...rows.map(({ field, type, says }) => `| \`${field}\` | ${type} | ${says} |`),
    '',
  ].join('\n');
}

interface Row {
  readonly field: string;
  readonly type: string;
  readonly says: string;
}

class FieldReader {
  readonly #named: Readonly<Record<string, JsonSchema>>;
  /** The fields of a named schema are described where it comes first. */
  readonly described = new Set<string>();

  constructor(whole: JsonSchema) {
    this.#named = (whole['$defs'] ?? {}) as Record<string, JsonSchema>;
  }

  /** The schema without the null that means absent. */
  bare(schema: JsonSchema): { readonly schema: JsonSchema; readonly name: string | undefined } {
    const options = (schema['anyOf'] as JsonSchema[] | undefined)?.filter((option) => option.type !== 'null');
    if (options !== undefined) {
      const [only] = options;
      if (options.length === 1 && only !== undefined) return this.bare(only);
      return { schema: { anyOf: options }, name: undefined };
    }
    const name = /[^/]+$/.exec(schema.$ref ?? '')?.[0];
    const target = name === undefined ? undefined : this.#named[name];
    return target === undefined ? { schema, name: undefined } : { schema: target, name };
  }
}

function rowsOf(object: JsonSchema, prefix: string, reader: FieldReader): Row[] {
  const required = (object['required'] ?? []) as string[];
  const members = Object.entries((object['properties'] ?? {}) as Record<string, JsonSchema>);
  return members.flatMap(([member, given]) => {
    const { schema, name } = reader.bare(given);
    const field = `${prefix}${member}`;
    const isNew = name === undefined || !reader.described.has(name);
    if (name !== undefined) reader.described.add(name);
    const known = name === undefined ? '' : `${name}${isNew ? '' : ' (as above)'}: `;
    const row: Row = {
      field,
      type: cell(`${known}${typeOf(schema, reader)}${required.includes(member) ? ', required' : ''}`),
      says: cell(given.description ?? schema.description ?? ''),
    };
    if (!isNew || (name !== undefined && OWN_TABLE.includes(name))) return [row];
    return [row, ...below(schema, field, reader)];
  });
}

/** The members of what a field holds. */
function below(schema: JsonSchema, field: string, reader: FieldReader): Row[] {
  for (const option of (schema['anyOf'] ?? [schema]) as JsonSchema[]) {
    if ('properties' in option) return rowsOf(option, `${field}.`, reader);
    if ('items' in option) {
      const { schema: item, name } = reader.bare(option['items'] as JsonSchema);
      if (name !== undefined) reader.described.add(name);
      if ('properties' in item) return rowsOf(item, `${field}[].`, reader);
    }
  }
  return [];
}

function typeOf(schema: JsonSchema, reader: FieldReader): string {
  if ('anyOf' in schema)
    return (schema['anyOf'] as JsonSchema[]).map((option) => typeOf(option, reader)).join(' or ');
  if ('const' in schema) return `\`${JSON.stringify(schema['const']).replaceAll('"', '')}\``;
  const words = (schema['enum'] as unknown[] | undefined)?.filter((word) => word !== null);
  if (words !== undefined)
    return words.map((word) => `\`${JSON.stringify(word).replaceAll('"', '')}\``).join(', ');
  const type = [schema.type].flat().find((one) => one !== 'null');
  if (type !== 'array') return `${String(type)}${limits(schema)}`;
  const { schema: item } = reader.bare((schema['items'] ?? {}) as JsonSchema);
  return `list${limits(schema)}: each ${typeOf(item, reader)}`;
}

function limits(schema: JsonSchema): string {
  const { minLength, maxLength, minItems, maxItems, minimum, maximum } = schema as Record<
    string,
    number | undefined
  >;
  const [low, high] = [minLength ?? minItems ?? minimum, maxLength ?? maxItems ?? maximum];
  if (high === undefined) return '';
  return low === undefined ? `, at most ${thousands(high)}` : `, ${thousands(low)} to ${thousands(high)}`;
}

/** `10 000`, as these pages have it. */
function thousands(value: number): string {
  return String(value).replaceAll(/\B(?=(\d{3})+$)/g, ' ');
}

function cell(text: string): string {
  return text
    .replaceAll('|', '\\|')
    .replaceAll(/<(\w+)>/g, '`<$1>`')
    .replaceAll('floor:`<zone>`', '`floor:<zone>`');
}

/** The effect of each member of `option`, by device. */
export function optionTable(): string {
  return [
    '| member | takes | Android | iOS | web |',
    '| --- | --- | --- | --- | --- |',
    ...Object.entries(PUSH_OPTIONS).map(
      ([name, { takes, android, ios, web }]) => `| \`${name}\` | ${takes} | ${android} | ${ios} | ${web} |`,
    ),
    '',
  ].join('\n');
}
