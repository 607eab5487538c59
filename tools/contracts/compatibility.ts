// Finds what a change of a published contract would break for those who rely on it. A schema of input may take more, and a schema
// of output may give more. The opposite needs a new version, under a new name, beside the old one. Pure.
import { isDeepStrictEqual } from 'node:util';

export interface Schema extends Readonly<Record<string, unknown>> {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly pattern?: string;
  readonly format?: string;
}
export type Direction = 'input' | 'output';

/** One schema within the document that its references point into. */
interface Side {
  readonly schema: Schema;
  readonly root: Schema;
}

interface Comparison {
  readonly before: Side;
  readonly after: Side;
  readonly direction: Direction;
  /** The place in the value. */
  readonly at: string;
}

/** Lower bounds may only fall and upper bounds only rise of what is taken. */
const LOWER = ['minLength', 'minItems', 'minimum'] as const;
const UPPER = ['maxLength', 'maxItems', 'maximum'] as const;

/** Every break, each a sentence. `direction`: 'input' where callers write such values, 'output' where they read them. */
export function schemaBreaks(before: Schema, after: Schema, direction: Direction): string[] {
  return compare({
    before: { schema: before, root: before },
    after: { schema: after, root: after },
    direction,
    at: '',
  });
}

/** Each kind of value on one side must find its like on the other: what was taken is taken, what is given was known. */
function compare(comparison: Comparison): string[] {
  const { before, after, direction, at } = comparison;
  const [was, is] = [kindsOf(before), kindsOf(after)];
  const [needed, offered] = direction === 'input' ? [was, is] : [is, was];
  return needed.flatMap((kind) => {
    if (direction === 'output' && isFurtherWord(kind, offered)) return [];
    const likes = offered.filter((one) => sameType(one, kind));
    const found = likes
      .map((like) => compareKind({ ...comparison, ...paired(kind, like, direction) }))
      .toSorted((a, b) => a.length - b.length);
    const type = [kind.schema.type ?? 'anything'].flat().join(' or ');
    return found[0] ?? [`${at || '/'}: ${type} is ${direction === 'input' ? 'taken no more' : 'given now'}`];
  });
}

/** A further alternative of a union that a word distinguishes: a further word, which readers pass over (compareWords). */
function isFurtherWord(kind: Side, offered: readonly Side[]): boolean {
  const membersOf = ({ schema }: Side) => (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>;
  return Object.entries(membersOf(kind)).some(([name, { const: word }]) => {
    const others = offered.map((one) => membersOf(one)[name]?.['const']);
    const isDistinguished = offered.length > 1 && [word, ...others].every((one) => typeof one === 'string');
    return isDistinguished && !others.includes(word);
  });
}

function paired(kind: Side, like: Side, direction: Direction): { before: Side; after: Side } {
  return direction === 'input' ? { before: kind, after: like } : { before: like, after: kind };
}

/** A number takes integers, what has no type takes anything. */
function sameType(offered: Side, kind: Side): boolean {
  const [a, b] = [offered.schema.type, kind.schema.type];
  return a === undefined || a === b || (a === 'number' && b === 'integer');
}

/** References followed, unions taken apart, until every schema has one type at most. */
function kindsOf({ schema, root }: Side): Side[] {
  const { $ref, ...beside } = schema;
  if (typeof $ref === 'string') return kindsOf({ schema: { ...resolve($ref, root), ...beside }, root });
  const options = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined;
  if (options !== undefined) return options.flatMap((option) => kindsOf({ schema: option, root }));
  const { type } = schema;
  if (type === undefined || typeof type === 'string') return [{ schema, root }];
  return type.map((one) => ({ schema: { ...schema, type: one }, root }));
}

function resolve($ref: string, root: Schema): Schema {
  let here: unknown = root;
  for (const name of $ref.replace(/^#\//, '').split('/')) here = (here as Record<string, unknown>)[name];
  return here as Schema;
}

function compareKind(comparison: Comparison): string[] {
  return [
    ...compareWords(comparison),
    ...compareForm(comparison),
    ...(comparison.direction === 'input' ? compareBounds(comparison) : []),
    ...compareMembers(comparison),
    ...compareInner(comparison, 'items', '[]'),
    ...compareInner(comparison, 'additionalProperties', '.*'),
  ];
}

/** Lists of words may grow where they are taken, and where they are given too: readers pass over words they do not know. */
function compareWords({ before, after, direction, at }: Comparison): string[] {
  const [was, is] = [wordsOf(before.schema), wordsOf(after.schema)];
  if (direction === 'output') {
    const isOther =
      'const' in before.schema && !isDeepStrictEqual(before.schema['const'], after.schema['const']);
    return isOther ? [`${at}: was always ${JSON.stringify(before.schema['const'])}`] : [];
  }
  if (is === undefined) return [];
  if (was === undefined) return [`${at}: takes listed words alone now`];
  return was
    .filter((word) => !is.some((one) => isDeepStrictEqual(one, word)))
    .map((word) => `${at}: takes ${JSON.stringify(word)} no more`);
}

function wordsOf(schema: Schema): readonly unknown[] | undefined {
  return 'const' in schema ? [schema['const']] : (schema['enum'] as unknown[] | undefined);
}

/** Pattern and format: of what is taken none may come, of what is given none may go; nor may either become another. */
function compareForm({ before, after, direction, at }: Comparison): string[] {
  return (['pattern', 'format'] as const).flatMap((name) => {
    const [was, is] = [before.schema[name], after.schema[name]];
    const bound = direction === 'input' ? is : was;
    return bound === undefined || was === is
      ? []
      : [`${at}: its ${name} was ${String(was)} and is ${String(is)}`];
  });
}

function compareBounds({ before, after, at }: Comparison): string[] {
  const changed = (name: string, narrower: (was: number, is: number) => boolean, open: number): string[] => {
    const [was, is] = [before.schema[name] ?? open, after.schema[name] ?? open] as [number, number];
    return narrower(was, is) ? [`${at}: its ${name} was ${was} and is ${is}`] : [];
  };
  return [
    ...LOWER.flatMap((name) => changed(name, (was, is) => is > was, -Infinity)),
    ...UPPER.flatMap((name) => changed(name, (was, is) => is < was, Infinity)),
  ];
}

function compareMembers(comparison: Comparison): string[] {
  const { before, after, direction, at } = comparison;
  const [was, is] = [membersOf(before.schema), membersOf(after.schema)];
  const [wasRequired, isRequired] = [requiredOf(before.schema), requiredOf(after.schema)];
  const required =
    direction === 'input'
      ? isRequired
          .filter((name) => !wasRequired.includes(name))
          .map((name) => `${at}/${name}: is required now`)
      : wasRequired
          .filter((name) => name in is && !isRequired.includes(name))
          .map((name) => `${at}/${name}: may be missing now`);
  const members = Object.entries(was).flatMap(([name, member]) => {
    const now = is[name];
    if (now === undefined) return [`${at}/${name}: is gone`];
    return compare({
      before: { ...before, schema: member },
      after: { ...after, schema: now },
      direction,
      at: `${at}/${name}`,
    });
  });
  return [...required, ...members];
}

const membersOf = (schema: Schema): Record<string, Schema> =>
  (schema['properties'] ?? {}) as Record<string, Schema>;
const requiredOf = (schema: Schema): readonly string[] => (schema['required'] ?? []) as string[];

/** The elements of a list, or the members of an object with any name. */
function compareInner(comparison: Comparison, name: string, at: string): string[] {
  const [was, is] = [comparison.before.schema[name], comparison.after.schema[name]];
  if (is === false && was !== false && comparison.direction === 'input')
    return [`${comparison.at}: takes other members no more`];
  if (!isSchema(was) || !isSchema(is)) return [];
  const { before, after } = comparison;
  return compare({
    ...comparison,
    before: { ...before, schema: was },
    after: { ...after, schema: is },
    at: `${comparison.at}${at}`,
  });
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null;
}

type Operations = Readonly<Record<string, Readonly<Record<string, Schema>>>>;

/** Compares OpenAPI documents: operations, parameters, bodies and successful answers. Codes may be added. */
export function openApiBreaks(before: Schema, after: Schema): string[] {
  const [was, is] = [before['paths'], after['paths']] as [Operations, Operations];
  return Object.entries(was).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const name = `${method.toUpperCase()} ${path}`;
      const now = is[path]?.[method];
      if (now === undefined) return [`${name}: is gone`];
      const of = (schema: Schema): Schema => ({ ...schema, components: before['components'] });
      const to = (schema: Schema): Schema => ({ ...schema, components: after['components'] });
      return [
        ...schemaBreaks(of(asInput(operation)), to(asInput(now)), 'input'),
        ...schemaBreaks(of(asOutput(operation)), to(asOutput(now)), 'output'),
      ].map((text) => `${name}: ${text}`);
    }),
  );
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

/** The input of a call, as one object: its parameters and, by media type, its body. */
function asInput(operation: Schema): Schema {
  const parameters = (operation['parameters'] ?? []) as {
    name: string;
    required?: boolean;
    schema: Schema;
  }[];
  const body = operation['requestBody'] as { required?: boolean; content: Content } | undefined;
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(parameters.map(({ name, schema }) => [`?${name}`, schema])),
      ...schemasOf(body?.content ?? {}),
    },
    required: [
      ...parameters.filter(({ required }) => required === true).map(({ name }) => `?${name}`),
      ...(body?.required === true ? Object.keys(body.content) : []),
    ],
  };
}

/** The answers to a call, by status and media type. */
function asOutput(operation: Schema): Schema {
  const responses = Object.entries((operation['responses'] ?? {}) as Record<string, { content?: Content }>);
  const answers = responses.filter(([status]) => status.startsWith('2'));
  return {
    type: 'object',
    properties: Object.fromEntries(
      answers.map(([status, { content = {} }]) => [
        status,
        { type: 'object', properties: schemasOf(content) },
      ]),
    ),
    required: [],
  };
}

function schemasOf(content: Content): Record<string, Schema> {
  return Object.fromEntries(Object.entries(content).map(([type, { schema }]) => [type, schema]));
}

type Channels = Readonly<Record<string, { readonly messages: Schema }>>;

/** Compares AsyncAPI documents: channels and their messages. The schemas of the messages are compared on their own. */
export function asyncApiBreaks(before: Schema, after: Schema): string[] {
  const [was, is] = [before['channels'], after['channels']] as [Channels, Channels];
  return Object.entries(was).flatMap(([channel, { messages }]) =>
    Object.keys(messages)
      .filter((message) => is[channel]?.messages[message] === undefined)
      .map((message) => `${channel}: ${message} is gone`),
  );
}
