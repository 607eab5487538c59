// An example of what a schema describes: its own where it has one, else made of what its members are called. Pure, and
// the same each time, so that documents are.
import type { JsonSchema } from '../../platform/http/json-schema.js';

const ID = '01936d5c-7a00-7000-8000-000000000001';
const AT = '2027-03-01T00:00:00.000Z';

/** By the name of a member: what a reader would find there. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  accessKey: 'ak-2027',
  action: 'campaign.cancel',
  asked: '2027-03-01T09:00',
  attempt: 1,
  baseUrl: 'https://push.example.com',
  bodyBase64: 'eyJ0eXBlIjoi4oCmIn0=',
  by: 'token:ops',
  campaignId: 'spring-sale-2027',
  cell: 'Asia/Seoul|all|all|0',
  code: 'DEADLINE',
  country: 'KR',
  createdBy: 'token:ops',
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
  who: 'token:ops',
  zone: 'Asia/Seoul',
};

const BY_FORMAT: Readonly<Record<string, unknown>> = {
  'date-time': AT,
  uuid: ID,
  uri: 'https://push.example.com',
};

export interface SampleOf {
  /** What `#/…/<name>` refers to. */
  readonly definitions: Readonly<Record<string, JsonSchema>>;
  /** `required`: members that may be left out are, as a caller would. */
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
  switch (type) {
    case 'object':
      return ofMembers(schema, how);
    case 'array': {
      const known = BY_NAME[name];
      return Array.isArray(known) ? known : [sample((schema['items'] as JsonSchema | undefined) ?? {}, how)];
    }
    case 'string':
      return BY_FORMAT[schema.format ?? ''] ?? textNamed(name);
    case 'boolean':
      return true;
    case 'integer':
    case 'number': {
      const known = BY_NAME[name];
      return typeof known === 'number' ? known : Math.max(1, Number(schema['minimum'] ?? 1));
    }
    default:
      return null;
  }
}

function textNamed(name: string): unknown {
  const known = BY_NAME[name];
  return typeof known === 'string' ? known : '…';
}

function ofMembers(schema: JsonSchema, how: SampleOf): object {
  const required = (schema['required'] as string[] | undefined) ?? [];
  const known = (schema['properties'] ?? {}) as Record<string, JsonSchema>;
  // Of a record by listed names, each of which is there.
  const listed = required.filter((name) => !(name in known));
  const members: [name: string, member: JsonSchema][] = [
    ...Object.entries(known).filter(([name]) => how.members === 'all' || required.includes(name)),
    ...listed.map((name): [string, JsonSchema] => [
      name,
      (schema['additionalProperties'] ?? {}) as JsonSchema,
    ]),
  ];
  return Object.fromEntries(members.map(([name, member]) => [name, sample(member, how, name)]));
}
