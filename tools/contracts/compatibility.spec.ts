// Which changes of a schema break those who write such values, and which those who read them.
import { describe, expect, it } from 'vitest';
import { asyncApiBreaks, openApiBreaks, schemaBreaks, type Schema } from './compatibility.js';

const text = { type: 'string' };
const object = (properties: Schema, required: readonly string[] = [], more: Schema = {}): Schema => ({
  type: 'object',
  properties,
  required,
  ...more,
});
const nullable = { anyOf: [text, { type: 'null' }] };
const referring = (named: Schema): Schema => ({ $ref: '#/$defs/Named', $defs: { Named: named } });

const cases: [what: string, before: Schema, after: Schema, input: string[], output: string[]][] = [
  ['nothing', object({ a: text }, ['a']), object({ a: text }, ['a']), [], []],
  ['a new optional member', object({ a: text }), object({ a: text, b: text }), [], []],
  [
    'a new required member',
    object({ a: text }),
    object({ a: text, b: text }, ['b']),
    ['/b: is required now'],
    [],
  ],
  [
    'a member that is gone',
    object({ a: text, b: text }),
    object({ a: text }),
    ['/b: is gone'],
    ['/b: is gone'],
  ],
  [
    'a member that may be missing',
    object({ a: text }, ['a']),
    object({ a: text }),
    [],
    ['/a: may be missing now'],
  ],
  [
    'a further alternative that a word distinguishes',
    { anyOf: ['a', 'b'].map((word) => object({ is: { type: 'string', const: word } }, ['is'])) },
    { anyOf: ['a', 'b', 'c'].map((word) => object({ is: { type: 'string', const: word } }, ['is'])) },
    [],
    [],
  ],
  [
    'another word in the place of one',
    { anyOf: ['a', 'b'].map((word) => object({ is: { type: 'string', const: word }, of: text }, ['of'])) },
    { anyOf: ['a', 'b'].map((word) => object({ is: { type: 'string', const: word } })) },
    ['/of: is gone', '/of: is gone'],
    ['/of: is gone', '/of: is gone'],
  ],
  ['null added', object({ a: text }), object({ a: nullable }), [], ['/a: null is given now']],
  ['null removed', object({ a: nullable }), object({ a: text }), ['/a: null is taken no more'], []],
  ['null by a list of types', object({ a: nullable }), object({ a: { type: ['string', 'null'] } }), [], []],
  [
    'another type',
    object({ a: text }),
    object({ a: { type: 'integer' } }),
    ['/a: string is taken no more'],
    ['/a: integer is given now'],
  ],
  ['an integer made a number', { type: 'integer' }, { type: 'number' }, [], ['/: number is given now']],
  ['a word more', { ...text, enum: ['x'] }, { ...text, enum: ['x', 'y'] }, [], []],
  ['a word less', { ...text, enum: ['x', 'y'] }, { ...text, enum: ['x'] }, [': takes "y" no more'], []],
  ['words alone', text, { ...text, enum: ['x'] }, [': takes listed words alone now'], []],
  [
    'another constant',
    { ...text, const: 1 },
    { ...text, const: 2 },
    [': takes 1 no more'],
    [': was always 1'],
  ],
  [
    'a lower maximum',
    { ...text, maxLength: 9 },
    { ...text, maxLength: 8 },
    [': its maxLength was 9 and is 8'],
    [],
  ],
  ['a first minimum', text, { ...text, minLength: 1 }, [': its minLength was -Infinity and is 1'], []],
  ['wider bounds', { ...text, minLength: 2, maxLength: 9 }, { ...text, minLength: 1, maxLength: 99 }, [], []],
  ['a first pattern', text, { ...text, pattern: 'x' }, [': its pattern was undefined and is x'], []],
  ['a format that goes', { ...text, format: 'uuid' }, text, [], [': its format was uuid and is undefined']],
  [
    'members of any name refused',
    object({}),
    object({}, [], { additionalProperties: false }),
    [': takes other members no more'],
    [],
  ],
  [
    'elements of a list',
    { type: 'array', items: object({ a: text }) },
    { type: 'array', items: object({ a: text }, ['a']) },
    ['[]/a: is required now'],
    [],
  ],
  [
    'members of a record',
    { type: 'object', additionalProperties: text },
    { type: 'object', additionalProperties: { type: 'integer' } },
    ['.*: string is taken no more'],
    ['.*: integer is given now'],
  ],
  [
    'behind a reference',
    referring(object({ a: text })),
    referring(object({ a: text }, ['a'])),
    ['/a: is required now'],
    [],
  ],
  [
    'an option less',
    { oneOf: [object({ a: { const: 1, type: 'integer' } }, ['a']), text] },
    { oneOf: [text] },
    ['/: object is taken no more'],
    [],
  ],
];

describe('schemaBreaks', () => {
  it.each(cases)('%s', (_, before, after, input, output) => {
    expect(schemaBreaks(before, after, 'input')).toEqual(input);
    expect(schemaBreaks(before, after, 'output')).toEqual(output);
  });
});

describe('openApiBreaks', () => {
  const api = (operation: Schema): Schema => ({
    paths: { '/v1/x': { get: operation } },
    components: { schemas: { X: object({ a: text }, ['a']) } },
  });
  const answering = (schema: Schema): Schema => ({
    responses: {
      200: { content: { 'application/json': { schema } } },
      404: { $ref: '#/components/responses/R' },
    },
  });
  const query = (required: boolean): Schema => ({
    parameters: [{ name: 'q', in: 'query', required, schema: text }],
  });

  it.each<[string, Schema, Schema, string[]]>([
    ['nothing', answering({ $ref: '#/components/schemas/X' }), answering(object({ a: text }, ['a'])), []],
    [
      'an answer',
      answering({ $ref: '#/components/schemas/X' }),
      answering(object({})),
      ['GET /v1/x: /200/application/json/a: is gone'],
    ],
    ['a parameter that is required now', query(false), query(true), ['GET /v1/x: /?q: is required now']],
    ['a parameter that is gone', query(false), {}, ['GET /v1/x: /?q: is gone']],
    ['a new optional parameter', {}, query(false), []],
  ])('%s', (_, before, after, breaks) => {
    expect(openApiBreaks(api(before), api(after))).toEqual(breaks);
  });

  it('reports an operation that is gone', () => {
    expect(openApiBreaks(api({}), { paths: {} })).toEqual(['GET /v1/x: is gone']);
  });
});

it('reports a message that is gone from its topic', () => {
  const api = (messages: Schema): Schema => ({ channels: { out: { messages } } });
  expect(asyncApiBreaks(api({ a: {}, b: {} }), api({ a: {} }))).toEqual(['out: b is gone']);
});
