// zod schemas as JSON Schema (2020-12), as they are published. Rules that JSON Schema cannot say (refinements) are left to
// the answer that names them.
import { z } from 'zod';

export type Json = Readonly<Record<string, unknown>>;

/** What is read of a schema by name. */
export interface JsonSchema extends Json {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly pattern?: string;
  readonly format?: string;
}

type Override = NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>['override']>;

/** `input`: what may be given; `output`: what is answered. What has an id stands under `$defs` but for the schema itself. */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const override = io === 'input' ? asGiven : asAnswered;
  const made = z.toJSONSchema(schema, { io, unrepresentable: 'any', override });
  const { $schema: _, '~standard': __, $ref, $defs = {}, ...rest } = made;
  const definitions: Record<string, Json> = Object.fromEntries(
    Object.entries($defs).map(([name, { id: ___, ...named }]) => [name, named]),
  );
  const name = $ref?.replace('#/$defs/', '');
  const own = name === undefined ? undefined : definitions[name];
  if (name !== undefined) delete definitions[name];
  return {
    ...(own !== undefined && { title: name, ...own }),
    ...rest,
    ...(Object.keys(definitions).length > 0 && { $defs: definitions }),
  };
}

const asGiven: Override = ({ zodSchema, jsonSchema }) => {
  // Given or not, null says as little as nothing: the schema says it by its type already.
  if (jsonSchema.readOnly === true) delete jsonSchema.readOnly;
  if (zodSchema._zod.def.type === 'date') Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
  // No integer of JSON is meant to be cut off where JavaScript's end.
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  // The formats say it; a pattern of a hundred signs says it to nobody.
  if (jsonSchema.format === 'date-time' || jsonSchema.format === 'uuid') delete jsonSchema.pattern;
};

const asAnswered: Override = (context) => {
  asGiven(context);
  // An answer may grow: readers pass over what they do not know.
  if (context.jsonSchema.additionalProperties === false) delete context.jsonSchema.additionalProperties;
};
