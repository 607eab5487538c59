// Makes an example of what a schema describes: the schema's own where it has one, else one made by the names of its members. Pure,
// and the same each time, so that documents do not change.
import type { JsonSchema } from '../../platform/http/json-schema.js';

const ID = '01936d5c-7a00-7000-8000-000000000001';
const AT = '2027-03-01T00:00:00.000Z';

/** By the name of a member: a value that a reader would find there. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  accessKey: 'ak-2027',
  action: 'campaign.cancel',
  asked: '2027-03-01T09:00',
  attempt: 1,
  baseUrl: 'https://push.example.com',
  bodyBase64: 'eyJ0eXBlIjoi4oCmIn0=',
  by: 'token:ops (0197a5f0-3c00-7000-8000-000000000001)',
  campaignId: 'spring-sale-2027',
  cell: 'Asia/Seoul|all|all|0',
  code: 'DEADLINE',
  country: 'KR',
  createdBy: 'token:ops (0197a5f0-3c00-7000-8000-000000000001)',
  date: '2027-03-01',
  day: '2027-03-01',
  deadline: 'P1D',
  defaultZone: 'Asia/Seoul',
  detail: 'what happened, in words',
  deviceType: 'all',
  end: '08:00',
  error: 'what the database said',
  from: 'planned',
  gatewayZone: 'Asia/Seoul',
  goal: null,
  httpStatus: 200,
  id: 'spring-sale-1',
  jitter: 'PT5M',
  kind: 'outside',
  max: 'PT30M',
  name: 'Spring sale',
  nextCursor: null,
  occurrence: 'once',
  offset: '+09:00',
  passedZone: 'skip',
  planHash: '3f'.repeat(32),
  pointer: '/data/delivery/at',
  rejectionsTopic: 'shop.rejections',
  requestId: ID,
  secretKey: 'the-secret-of-the-key',
  sequence: 1,
  serviceId: 'shop-app',
  serviceIds: ['shop-app'],
  source: '/shop/promotions',
  sources: ['/shop/*'],
  start: '21:00',
  state: 'canceling',
  stateBy: 'event:/shop/promotions',
  subject: 'spring-sale-2027',
  text: 'what is wrong, and what is taken',
  time: '09:00',
  token: ID,
  version: '2026f',
  weekday: 'Mon',
  who: 'token:ops (0197a5f0-3c00-7000-8000-000000000001)',
  zone: 'Asia/Seoul',
};

const BY_FORMAT: Readonly<Record<string, unknown>> = {
  'date-time': AT,
  uuid: ID,
  uri: 'https://push.example.com',
};

interface SampleOf {
  /** The schemas that `#/…/<name>` refers to, by name. */
  readonly definitions: Readonly<Record<string, JsonSchema>>;
  /** `required`: optional members are left out, as a caller would leave them out. */
  readonly members: 'all' | 'required';
}

export function sample(schema: JsonSchema, how: SampleOf, name = ''): unknown {
  const [own] = (schema['examples'] as unknown[] | undefined) ?? [];
  if (own !== undefined) return own;
  const { $ref } = schema;
  if ($ref !== undefined) {
    const target = how.definitions[$ref.slice($ref.lastIndexOf('/') + 1)];
    if (target === undefined) throw new Error(`${$ref} refers to nothing`);
    return sample(target, how, name);
  }
  if ('const' in schema) return schema['const'];
  const [first] = (schema['enum'] as unknown[] | undefined) ?? [];
  if (first !== undefined) return first;
  const [option] = ((schema['oneOf'] ?? schema['anyOf']) as JsonSchema[] | undefined) ?? [];
  if (option !== undefined) return sample(option, how, name);
  const types = [schema.type].flat();
  return types.includes('null') && BY_NAME[name] === null ? null : ofType(types[0], schema, how, name);
}

function ofType(type: unknown, schema: JsonSchema, how: SampleOf, name: string): unknown {
  const known = BY_NAME[name];
  switch (type) {
    case 'object':
      return ofMembers(schema, how);
    case 'array':
      return Array.isArray(known) ? known : [sample((schema['items'] as JsonSchema | undefined) ?? {}, how)];
    case 'string':
      return BY_FORMAT[schema.format ?? ''] ?? (typeof known === 'string' ? known : '…');
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return typeof known === 'number' ? known : Math.max(1, Number(schema['minimum'] ?? 1));
    default:
      return null;
  }
}

function ofMembers(schema: JsonSchema, how: SampleOf): object {
  const required = (schema['required'] as string[] | undefined) ?? [];
  const known = (schema['properties'] ?? {}) as Record<string, JsonSchema>;
  const others = (schema['additionalProperties'] ?? {}) as JsonSchema;
  const names =
    how.members === 'all' ? Object.keys(known) : Object.keys(known).filter((name) => required.includes(name));
  // A record whose names are a closed list requires each of them, without listing them as properties.
  const listed = required.filter((name) => !(name in known));
  return Object.fromEntries(
    [...names, ...listed].map((name) => [name, sample(known[name] ?? others, how, name)]),
  );
}
