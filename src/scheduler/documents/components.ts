// The named schemas and responses of one document, collected while it is made. A schema with an id is described once, under its
// name, and referred to everywhere else. Two different schemas with one name are a bug.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { jsonSchemaOf, type Json, type JsonSchema } from '../../platform/http/json-schema.js';
import { sample } from './sample.js';

/** The place of named schemas, in OpenAPI and AsyncAPI alike. */
const SCHEMAS = '#/components/schemas/';

export class Components {
  readonly schemas: Record<string, Json> = {};
  /** Keyed by their JSON. */
  readonly #responses = new Map<string, { readonly name: string; readonly response: Json }>();

  get responses(): Readonly<Record<string, Json>> {
    return Object.fromEntries([...this.#responses.values()].map(({ name, response }) => [name, response]));
  }

  /** A reference to a response, which is described once however many operations give it. */
  share(name: string, response: Json): Json {
    const text = JSON.stringify(response);
    const others = [...this.#responses.values()].filter((one) => one.name.startsWith(`${name}_`)).length;
    const shared = this.#responses.get(text) ?? { name: `${name}_${others + 1}`, response };
    this.#responses.set(text, shared);
    return { $ref: `#/components/responses/${shared.name}` };
  }

  /** The schema as the document has it: a reference where it has an id. */
  place(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    // Made as a member of another schema, so that it becomes a reference like all others.
    const { properties, $defs = {} } = jsonSchemaOf(z.object({ it: schema }), io);
    const moved = JSON.parse(
      JSON.stringify({ it: (properties as Record<string, Json>)['it'], $defs }).replaceAll(
        '"#/$defs/',
        `"${SCHEMAS}`,
      ),
    ) as { readonly it: JsonSchema; readonly $defs: Record<string, JsonSchema> };
    for (const [name, named] of Object.entries(moved.$defs)) {
      const before = this.schemas[name];
      if (before !== undefined && !isDeepStrictEqual(before, named))
        throw new Error(`two schemas are called ${name}`);
      this.schemas[name] = named;
    }
    return moved.it;
  }

  /** A media type's schema, with an example. */
  media(schema: z.ZodType, io: 'input' | 'output'): Json {
    const placed = this.place(schema, io);
    const members = io === 'output' ? 'all' : 'required';
    return { schema: placed, example: sample(placed, { definitions: this.schemas, members }) };
  }
}
