// Makes JSON Schema (2020-12) of zod schemas, for publication. Rules that JSON Schema cannot express (refinements) are missing
// there: only a refusal names them.
import { z } from 'zod';

export type Json = Readonly<Record<string, unknown>>;

/** The members that readers use by name. */
export interface JsonSchema extends Json {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly pattern?: string;
  readonly format?: string;
}

type Override = NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>['override']>;

/** `input`: what may be given; `output`: what is answered. Parts with an id stand under `$defs`, except the schema itself. */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const override = io === 'input' ? asGiven : asAnswered;
  const made = z.toJSONSchema(schema, { io, unrepresentable: 'any', override });
  const { $schema: _, '~standard': __, $ref, $defs = {}, ...rest } = made;
  const definitions: Record<string, Json> = Object.fromEntries(
    Object.entries($defs).map(([name, { id: ___, ...named }]) => [name, named]),
  );
  const name = $ref?.replace('#/$defs/', '');
  const root = name === undefined ? undefined : definitions[name];
  if (name !== undefined) delete definitions[name];
  return {
    ...(root !== undefined && { title: name, ...root }),
    ...rest,
    ...(Object.keys(definitions).length > 0 && { $defs: definitions }),
  };
}

const asGiven: Override = ({ zodSchema, jsonSchema }) => {
  // The type already allows null, which means the same as leaving the member out.
  if (jsonSchema.readOnly === true) delete jsonSchema.readOnly;
  if (zodSchema._zod.def.type === 'date') Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
  // JavaScript's largest integer is no limit of ours.
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  // The format says it; nobody reads a pattern of a hundred characters.
  if (jsonSchema.format === 'date-time' || jsonSchema.format === 'uuid') delete jsonSchema.pattern;
};

const asAnswered: Override = (context) => {
  asGiven(context);
  // Answers may get new members: readers ignore what they do not know.
  if (context.jsonSchema.additionalProperties === false) delete context.jsonSchema.additionalProperties;
};
