// /openapi.json against a running scheduler: it describes every route that the router answers, and every operation answers
// as it is described, when all goes well and when it refuses. Members that nobody described count as wrong here.
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { moveSends } from '../../../src/scheduler/store/send/move.store.js';
import type { SendState } from '../../../src/scheduler/decide/lifecycle/send-state.js';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually } from '../../support/eventually.js';
import { routesOf } from '../../support/routes.js';
import {
  schedulerConfig,
  startScheduler,
  type Answer,
  type CallOptions,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';

type Json = Record<string, unknown>;
interface Response {
  readonly headers: Json;
  readonly content?: Record<string, { readonly schema: Json; readonly example?: unknown }>;
}
interface Operation {
  readonly operationId: string;
  /** Empty: it is open. */
  readonly security?: readonly unknown[];
  readonly 'x-roles': readonly string[];
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: Pick<Response, 'content'>;
  readonly responses: Record<string, Response & { readonly $ref?: string }>;
}
interface Document {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly responses: Record<string, Response>; readonly schemas: Json };
}

let database: TestDatabase;
let scheduler: TestScheduler;
let admin: string;
let document: Document;
let ajv: Ajv2020;
/** The ids of campaigns, sends, … that exist. */
const ids = {
  campaign: '',
  doomed: '',
  draft: '',
  erasure: '',
  hash: '',
  declined: '',
  expired: '',
  uncertain: '',
  planned: '',
  retries: '',
  resolves: '',
  token: '',
  plan: '',
  rejection: '',
  other: '',
};

beforeAll(async () => {
  database = await cloneDatabase();
  scheduler = await startScheduler(schedulerConfig(database.url, { CARILLON_ROLES: 'api,plan' }));
  await eventually(() => scheduler.dataSource.isInitialized);
  admin = await scheduler.bearer(['admin']);
  document = (await scheduler.call('GET', '/openapi.json')).body as Document;
  ajv = new Ajv2020({ strict: false, allErrors: true });
  (addFormats as unknown as (one: Ajv2020) => void)(ajv);
  ajv.addSchema(closed(document) as Json, 'openapi');
  await furnish();
});

afterAll(async () => {
  await scheduler.close();
  await database.drop();
});

const ALERT = v7();
const WEBHOOK = 'wh_spec';

/** Objects that say nothing of further members have none. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  const isOpen = inner['type'] === 'object' && 'properties' in inner && !('additionalProperties' in inner);
  return isOpen ? { ...inner, additionalProperties: false } : inner;
}

const call = (method: string, path: string, body?: unknown, more: CallOptions = {}): Promise<Answer> =>
  scheduler.call(method, path, { authorization: admin, ...(body !== undefined && { body }), ...more });

function event(campaignId: string, to: readonly string[], planHash?: string): Json {
  return {
    specversion: '1.0',
    id: v7(),
    source: '/spec',
    type: 'carillon.campaign.scheduled.v1',
    subject: campaignId,
    time: new Date().toISOString(),
    data: {
      serviceId: 'shop',
      name: 'Sale',
      audience: { type: 'USER', to },
      message: { default: { content: 'hello' } },
      delivery: { at: `${new Date().getUTCFullYear() + 1}-03-01T09:00`, zone: 'Asia/Seoul' },
      ...(planHash !== undefined && { planHash }),
    },
  };
}

const idOf = (answer: Answer, name: string): string => String((answer.body as Json)[name]);

async function firstIds(path: string, many: number): Promise<string[]> {
  return eventually(async () => {
    const { items } = (await call('GET', path)).body as { items: { id: string }[] };
    if (items.length < many) throw new Error(`${path} lists ${items.length}`);
    return items.map(({ id }) => id);
  });
}

async function furnish(): Promise<void> {
  await call('POST', '/v1/projects', { serviceId: 'shop', baseUrl: 'http://127.0.0.1:9', maxTo: 1 });
  for (const accessKey of ['first', 'second'])
    await call('POST', '/v1/projects/shop/keys', { accessKey, secretKey: 'a-secret' });
  await call('POST', '/v1/events', [event('sale', ['anna', 'ben', 'cem']), event('doomed', ['dan'])]);
  [ids.campaign = ''] = await firstIds('/v1/campaigns?campaignId=sale', 1);
  [ids.doomed = ''] = await firstIds('/v1/campaigns?campaignId=doomed', 1);
  [ids.draft = '', ids.hash = ''] = await awaiting('draft');
  [ids.declined = ''] = await awaiting('declined');
  [ids.expired = '', ids.uncertain = '', ids.planned = ''] = await firstIds(
    `/v1/campaigns/${ids.campaign}/sends`,
    3,
  );
  await move(ids.expired, 'planned', 'expired');
  await move(ids.uncertain, 'planned', 'sending');
  await move(ids.uncertain, 'sending', 'uncertain');
  const at = new Date();
  await scheduler.dataSource.query(
    `insert into webhook (id, url, secret_sealed, created_at, created_by) values ($1, 'http://127.0.0.1:9', 'x', $2, 'us')`,
    [WEBHOOK, at],
  );
  await scheduler.dataSource.query(
    `insert into alert (id, cause, service_id, since, last_seen_at, detail) values ($1, 'BLOCKED', 'shop', $2, $2, 'why')`,
    [ALERT, at],
  );
  await scheduler.dataSource.query(
    `insert into unwritten_answer (send, attempt, code, error, facts, at, by) values ($1, 1, '23505', 'no', '{}', $2, 'us')`,
    [ids.uncertain, at],
  );
  ids.retries = idOf(await call('POST', '/v1/retries/preview', { serviceId: 'shop' }), 'token');
  const resolving = { resolution: 'confirmed-sent', reason: 'asked' };
  ids.resolves = idOf(await call('POST', '/v1/resolves/preview', resolving), 'token');
  const token = { name: 'short', roles: ['publisher'], serviceIds: ['shop'], sources: ['/shop/*'] };
  ids.token = idOf(await call('POST', '/v1/tokens', token), 'id');
  const refused = (await call('POST', '/v1/events', [{ ...event('bad', ['anna']), type: 'x' }, 7])).body as {
    events: { rejectionId: string }[];
  };
  [ids.rejection = '', ids.other = ''] = refused.events.map(({ rejectionId }) => rejectionId);
  ids.erasure = idOf(await call('DELETE', '/v1/recipients/nobody?serviceId=shop'), 'id');
  ids.plan = idOf(await call('POST', '/v1/plans', event('draft', ['anna'])), 'planHash');
}

/** Our id of a new campaign that awaits approval, and the hash of its revision. */
async function awaiting(campaignId: string): Promise<[id: string, hash: string | undefined]> {
  const asked = event(campaignId, ['eva']);
  await call('POST', '/v1/events', [
    { ...asked, data: { ...(asked['data'] as Json), policy: { approval: 'required' } } },
  ]);
  const [id = ''] = await firstIds(`/v1/campaigns?campaignId=${campaignId}&state=awaiting-approval`, 1);
  const { revisions } = (await call('GET', `/v1/campaigns/${id}`)).body as { revisions: { hash: string }[] };
  return [id, revisions[0]?.hash];
}

async function move(id: string, fromState: SendState, toState: SendState): Promise<void> {
  const how = { attempts: null, code: 'BY_HAND', detail: null, requestId: null, nextAt: null };
  const when = { at: Date.now(), by: 'spec' };
  expect(await moveSends(scheduler.dataSource, [{ id, fromState, toState, ...how }], when)).toBe(1);
}

type Call = readonly [path: string, body?: unknown, more?: CallOptions];

/** One successful call of every operation, in an order in which all succeed. */
const GOOD: Readonly<Record<string, () => Call>> = {
  'GET /': () => ['/'],
  'GET /openapi.json': () => ['/openapi.json'],
  'GET /asyncapi.json': () => ['/asyncapi.json'],
  'GET /schemas': () => ['/schemas'],
  'GET /schemas/{name}': () => ['/schemas/campaign-scheduled.v1.json'],
  'GET /docs': () => ['/docs'],
  'GET /docs/{file}': () => ['/docs/swagger-ui.css'],
  'GET /health/live': () => ['/health/live'],
  'GET /health/ready': () => ['/health/ready'],
  'POST /v1/session': () => ['/v1/session', { token: admin.replace('Bearer ', '') }],
  'GET /v1/session': () => ['/v1/session'],
  'DELETE /v1/session': () => ['/v1/session'],
  'GET /v1/zones': () => ['/v1/zones'],
  'GET /v1/services': () => ['/v1/services'],
  'GET /v1/channels': () => ['/v1/channels?serviceId=shop'],
  'GET /v1/schedules': () => ['/v1/schedules?serviceId=shop&q=WEEK'],
  'GET /v1/stream': () => ['/v1/stream'],
  'GET /v1/search': () => [`/v1/search?q=${ids.campaign}`],
  'POST /v1/events': () => ['/v1/events', [event('third', ['eve']), event('sale', ['eve']), event('', [])]],
  'GET /v1/events': () => ['/v1/events?source=%2Fspec&id=none'],
  'GET /v1/rejections': () => ['/v1/rejections?code=UNKNOWN_TYPE&state=open'],
  'GET /v1/rejections/{id}': () => [`/v1/rejections/${ids.rejection}`],
  'GET /v1/rejections/{id}/body': () => [`/v1/rejections/${ids.rejection}/body`],
  'POST /v1/rejections/{id}/replay': () => [
    `/v1/rejections/${ids.rejection}/replay`,
    { event: event('bad', ['anna']) },
  ],
  'POST /v1/rejections/{id}/discard': () => [`/v1/rejections/${ids.other}/discard`, { reason: 'a test' }],
  'POST /v1/plans': () => ['/v1/plans?limit=1', event('draft', ['anna', 'ben'])],
  'GET /v1/plans/{hash}': () => [`/v1/plans/${ids.plan}`],
  'PUT /v1/audiences/{name}': () => [
    '/v1/audiences/vip?serviceId=shop',
    'anna,Asia/Seoul\nben,Asia/Soul\n',
    { headers: { 'content-type': 'text/csv' } },
  ],
  'GET /v1/audiences': () => ['/v1/audiences?serviceId=shop'],
  'GET /v1/audiences/{name}': () => ['/v1/audiences/vip?serviceId=shop'],
  'DELETE /v1/audiences/{name}': () => ['/v1/audiences/vip?serviceId=shop'],
  'PUT /v1/recipients/zones': () => [
    '/v1/recipients/zones?serviceId=shop',
    { recipients: [{ userId: 'anna', zone: 'Asia/Soul' }] },
  ],
  'GET /v1/recipients/drift': () => ['/v1/recipients/drift?serviceId=shop'],
  'GET /v1/campaigns': () => ['/v1/campaigns?limit=1'],
  'GET /v1/campaigns/{id}': () => [`/v1/campaigns/${ids.campaign}`],
  'GET /v1/campaigns/{id}/revisions/{revision}': () => [`/v1/campaigns/${ids.campaign}/revisions/1`],
  'GET /v1/campaigns/{id}/sends': () => [`/v1/campaigns/${ids.campaign}/sends`],
  'GET /v1/campaigns/{id}/history': () => [`/v1/campaigns/${ids.campaign}/history`],
  'GET /v1/campaigns/{id}/plan': () => [`/v1/campaigns/${ids.campaign}/plan`],
  'GET /v1/sends': () => ['/v1/sends?newest=false'],
  'GET /v1/sends/{id}': () => [`/v1/sends/${ids.uncertain}`],
  'GET /v1/sends/{id}/attempts': () => [`/v1/sends/${ids.uncertain}/attempts`],
  'GET /v1/reports/campaigns/{id}': () => [`/v1/reports/campaigns/${ids.campaign}`],
  'GET /v1/reports/summary': () => ['/v1/reports/summary?groupBy=day,zone'],
  'GET /v1/reports/lateness': () => ['/v1/reports/lateness?groupBy=campaign'],
  'GET /v1/ledger': () => ['/v1/ledger'],
  'GET /v1/forecast': () => ['/v1/forecast?by=campaign'],
  'GET /v1/failures': () => ['/v1/failures?groupBy=code,campaign,zone,mode,httpStatus'],
  'GET /v1/retries': () => ['/v1/retries?limit=1'],
  'GET /v1/retries/{token}/items': () => [`/v1/retries/${ids.retries}/items?state=failed,expired`],
  'GET /v1/retries/{token}': () => [`/v1/retries/${ids.retries}`],
  'POST /v1/retries/preview': () => ['/v1/retries/preview', { states: ['expired'] }],
  'GET /v1/resolves': () => ['/v1/resolves?limit=1'],
  'GET /v1/resolves/{token}/items': () => [`/v1/resolves/${ids.resolves}/items?state=uncertain`],
  'GET /v1/resolves/{token}': () => [`/v1/resolves/${ids.resolves}`],
  'POST /v1/resolves/preview': () => [
    '/v1/resolves/preview',
    { resolution: 'confirmed-not-sent', zone: 'UTC', code: 'none' },
  ],
  'POST /v1/sends/{id}/retry': () => [`/v1/sends/${ids.expired}/retry`],
  'POST /v1/retries': () => ['/v1/retries', { token: ids.retries }],
  'POST /v1/resolves': () => ['/v1/resolves', { token: ids.resolves }],
  'POST /v1/sends/{id}/resolve': () => [
    `/v1/sends/${ids.uncertain}/resolve`,
    { resolution: 'confirmed-sent', requestId: 'taken-there' },
  ],
  'POST /v1/campaigns/{id}/approve': () => [
    `/v1/campaigns/${ids.draft}/approve`,
    { revision: 1, hash: ids.hash },
  ],
  'PATCH /v1/campaigns/{id}': () => [
    `/v1/campaigns/${ids.draft}?preview=true`,
    { name: 'another' },
    { headers: { 'content-type': 'application/merge-patch+json' } },
  ],
  'POST /v1/campaigns/{id}/decline': () => [`/v1/campaigns/${ids.declined}/decline`, { reason: 'late' }],
  'POST /v1/campaigns/{id}/occurrences/{occurrence}/pause': () => [
    `/v1/campaigns/${ids.doomed}/occurrences/once/pause?preview=true`,
  ],
  'POST /v1/campaigns/{id}/occurrences/{occurrence}/resume': () => [
    `/v1/campaigns/${ids.doomed}/occurrences/once/resume`,
  ],
  'POST /v1/campaigns/{id}/pause': () => [`/v1/campaigns/${ids.doomed}/pause`],
  'POST /v1/campaigns/{id}/resume': () => [`/v1/campaigns/${ids.doomed}/resume`],
  'POST /v1/campaigns/{id}/occurrences/{occurrence}/cancel': () => [
    `/v1/campaigns/${ids.doomed}/occurrences/once/cancel`,
  ],
  'POST /v1/campaigns/{id}/cancel': () => [
    `/v1/campaigns/${ids.campaign}/cancel`,
    { reason: 'a wrong link' },
  ],
  'GET /v1/status': () => ['/v1/status'],
  'GET /v1/alerts': () => ['/v1/alerts?limit=1'],
  'POST /v1/alerts/{id}/acknowledge': () => [`/v1/alerts/${ALERT}/acknowledge`],
  'GET /v1/webhooks': () => ['/v1/webhooks'],
  'POST /v1/webhooks': () => ['/v1/webhooks', { url: 'http://127.0.0.1:9/hook', causes: ['LATE'] }],
  'POST /v1/webhooks/{id}/test': () => [`/v1/webhooks/${WEBHOOK}/test`],
  'DELETE /v1/webhooks/{id}': () => [`/v1/webhooks/${WEBHOOK}`],
  'DELETE /v1/recipients/{userId}': () => ['/v1/recipients/nobody?serviceId=shop'],
  'GET /v1/erasures/{id}': () => [`/v1/erasures/${ids.erasure}`],
  'GET /v1/projects': () => ['/v1/projects'],
  'GET /v1/projects/{id}': () => ['/v1/projects/shop'],
  'POST /v1/projects': () => ['/v1/projects', { serviceId: 'other', baseUrl: 'http://push.example.com' }],
  'PATCH /v1/projects/{id}': () => ['/v1/projects/shop', { ratePerSecond: 20 }],
  'POST /v1/projects/{id}/keys': () => ['/v1/projects/other/keys', { accessKey: 'a', secretKey: 'b' }],
  'DELETE /v1/projects/{id}/keys/{accessKey}': () => ['/v1/projects/shop/keys/first'],
  'POST /v1/projects/{id}/check': () => ['/v1/projects/shop/check'],
  'POST /v1/projects/{id}/stop': () => ['/v1/projects/shop/stop?preview=true'],
  'POST /v1/projects/{id}/start': () => ['/v1/projects/shop/start'],
  'POST /v1/stop': () => ['/v1/stop', { reason: 'an incident', recall: true }],
  'POST /v1/start': () => ['/v1/start?preview=true'],
  'GET /v1/tokens': () => ['/v1/tokens'],
  'POST /v1/tokens': () => [
    '/v1/tokens',
    { name: 'x', roles: ['analyst'], serviceIds: ['*'], expiresInDays: 1 },
  ],
  'DELETE /v1/tokens/{id}': () => [`/v1/tokens/${ids.token}`],
  'GET /v1/audit': () => ['/v1/audit?limit=500'],
};

/** A call for each kind of a caller's fault, made after the calls above; the first element is the operation. */
const REFUSED: readonly (readonly [operation: string, call: () => Call, status: number, code: string])[] = [
  ['GET /schemas/{name}', () => ['/schemas/none.json'], 404, 'NOT_FOUND'],
  ['GET /schemas/{name}', () => ['/schemas/NO'], 400, 'INVALID_REQUEST'],
  ['GET /docs/{file}', () => ['/docs/package.json'], 404, 'NOT_FOUND'],
  [
    'POST /v1/events',
    () => ['/v1/events', 'no json', { headers: { 'content-type': 'application/cloudevents+json' } }],
    400,
    'NOT_JSON',
  ],
  ['POST /v1/events', () => ['/v1/events', []], 400, 'EMPTY_BATCH'],
  ['POST /v1/events', () => ['/v1/events', event('', [])], 422, 'NOTHING_TAKEN'],
  ['POST /v1/events', () => ['/v1/events', event('p', ['a'], 'f'.repeat(64))], 409, 'PLAN_CHANGED'],
  [
    'POST /v1/events',
    () => ['/v1/events', 'x', { headers: { 'content-type': 'text/plain' } }],
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  ['POST /v1/alerts/{id}/acknowledge', () => [`/v1/alerts/${v7()}/acknowledge`], 404, 'NOT_FOUND'],
  ['POST /v1/webhooks', () => ['/v1/webhooks', { url: 'http://169.254.169.254/' }], 400, 'ADDRESS_REFUSED'],
  ['GET /v1/rejections', () => ['/v1/rejections?code=NO'], 400, 'INVALID_REQUEST'],
  [
    'POST /v1/rejections/{id}/replay',
    () => [`/v1/rejections/${ids.other}/replay`, {}],
    409,
    'REJECTION_CLOSED',
  ],
  [
    'POST /v1/rejections/{id}/discard',
    () => [`/v1/rejections/${ids.rejection}/discard`, {}],
    409,
    'REJECTION_CLOSED',
  ],
  ['POST /v1/plans', () => ['/v1/plans', { serviceId: 'shop' }], 422, 'EVENT_REJECTED'],
  ['GET /v1/plans/{hash}', () => [`/v1/plans/${'0'.repeat(64)}`], 404, 'NOT_FOUND'],
  ['DELETE /v1/audiences/{name}', () => ['/v1/audiences/vip?serviceId=shop'], 404, 'NOT_FOUND'],
  [
    'PUT /v1/audiences/{name}',
    () => ['/v1/audiences/vip?serviceId=shop', 'a,b,c\n', { headers: { 'content-type': 'text/csv' } }],
    422,
    'INVALID_ROWS',
  ],
  [
    'PUT /v1/recipients/zones',
    () => ['/v1/recipients/zones?serviceId=none', { recipients: [] }],
    404,
    'NOT_FOUND',
  ],
  ['GET /v1/campaigns', () => ['/v1/campaigns?cursor=x'], 400, 'BAD_CURSOR'],
  ['GET /v1/campaigns', () => ['/v1/campaigns?stat=planned'], 400, 'INVALID_REQUEST'],
  ['GET /v1/campaigns/{id}', () => [`/v1/campaigns/${v7()}`], 404, 'NOT_FOUND'],
  ['GET /v1/campaigns/{id}/plan', () => ['/v1/campaigns/1/plan'], 400, 'INVALID_REQUEST'],
  [
    'POST /v1/campaigns/{id}/approve',
    () => [`/v1/campaigns/${ids.draft}/approve`, { revision: 2, hash: ids.hash }],
    409,
    'REVISION_CHANGED',
  ],
  [
    'POST /v1/campaigns/{id}/decline',
    () => [`/v1/campaigns/${ids.draft}/decline`, { reason: 'late' }],
    409,
    'APPROVED_ALREADY',
  ],
  ['POST /v1/campaigns/{id}/pause', () => [`/v1/campaigns/${ids.campaign}/pause`], 409, 'CAMPAIGN_CLOSED'],
  ['GET /v1/search', () => ['/v1/search?q=x'], 400, 'INVALID_REQUEST'],
  ['GET /v1/channels', () => ['/v1/channels?serviceId=none'], 404, 'NOT_FOUND'],
  ['GET /v1/sends', () => ['/v1/sends?state=lost'], 400, 'INVALID_REQUEST'],
  ['POST /v1/sends/{id}/retry', () => [`/v1/sends/${ids.expired}/retry`], 409, 'CAMPAIGN_CANCELED'],
  [
    'POST /v1/sends/{id}/resolve',
    () => [`/v1/sends/${ids.uncertain}/resolve`, { resolution: 'confirmed-not-sent' }],
    409,
    'NOT_UNCERTAIN',
  ],
  [
    'POST /v1/sends/{id}/resolve',
    () => [`/v1/sends/${ids.uncertain}/resolve`, { resolution: 'x', reson: 1 }],
    400,
    'INVALID_REQUEST',
  ],
  [
    'POST /v1/projects',
    () => ['/v1/projects', { serviceId: 'shop', baseUrl: 'http://a.example' }],
    409,
    'PROJECT_EXISTS',
  ],
  ['POST /v1/projects', () => ['/v1/projects', '{'], 400, 'MALFORMED_BODY'],
  [
    'PATCH /v1/campaigns/{id}',
    () => [
      `/v1/campaigns/${ids.doomed}`,
      [],
      { headers: { 'content-type': 'application/merge-patch+json' } },
    ],
    400,
    'NOT_A_MERGE_PATCH',
  ],
  ['PATCH /v1/campaigns/{id}', () => [`/v1/campaigns/${ids.doomed}`, {}], 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ['DELETE /v1/projects/{id}/keys/{accessKey}', () => ['/v1/projects/shop/keys/second'], 409, 'LAST_KEY'],
  ['POST /v1/retries', () => ['/v1/retries', { token: v7() }], 404, 'NOT_FOUND'],
  ['POST /v1/resolves', () => ['/v1/resolves', { token: ids.retries }], 404, 'NOT_FOUND'],
  ['POST /v1/resolves/preview', () => ['/v1/resolves/preview', {}], 400, 'INVALID_REQUEST'],
  ['DELETE /v1/tokens/{id}', () => [`/v1/tokens/${v7()}`], 404, 'NOT_FOUND'],
  ['POST /v1/tokens', () => ['/v1/tokens', {}], 400, 'INVALID_REQUEST'],
];

const pointer = (parts: readonly string[]): string =>
  parts.map((part) => `/${encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

/** The differences of an answer from the document; empty where there are none. */
function faultsOf(operation: string, { status, headers, body }: Answer): unknown[] {
  const [method = '', path = ''] = operation.split(' ');
  const place = ['paths', path, method.toLowerCase(), 'responses', String(status)];
  const given = document.paths[path]?.[method.toLowerCase()]?.responses[String(status)];
  if (given === undefined) return [`${status} is not described`, body];
  const shared = given.$ref?.replace('#/components/responses/', '');
  const response = shared === undefined ? given : document.components.responses[shared];
  const at = shared === undefined ? place : ['components', 'responses', shared];
  const type = headers.get('content-type')?.split(';')[0];
  const missing = Object.keys(response?.headers ?? {}).filter(
    (name) => name !== 'idempotency-replayed' && !headers.has(name),
  );
  if (response?.content === undefined)
    return [...missing, ...(body === '' ? [] : ['a body is not described'])];
  if (type === undefined || !(type in response.content)) return [...missing, `${type} is not described`];
  const check = ajv.compile({ $ref: `openapi#${pointer([...at, 'content', type, 'schema'])}` });
  return check(body) ? missing : [...missing, ...(check.errors ?? [])];
}

const operations = (): string[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );

describe('/openapi.json', () => {
  it('is OpenAPI 3.1 and describes every route of the router, and no other, each under a name of its own', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    const routes = routesOf(scheduler.app.getHttpAdapter().getInstance()).map(
      ({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
    );
    expect(operations().toSorted()).toEqual(routes.toSorted());
    const names = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(new Set(names).size).toBe(names.length);
  });

  it('says what every operation answers, when it is called with a token and without one', async () => {
    expect(Object.keys(GOOD).toSorted()).toEqual(operations().toSorted());
    for (const [operation, callOf] of Object.entries(GOOD)) {
      const [path, body, more] = callOf();
      const [method = ''] = operation.split(' ');
      const { security } = document.paths[operation.slice(method.length + 1)]?.[method.toLowerCase()] ?? {};
      const bare = await scheduler.call(method, path, { ...more, ...(body !== undefined && { body }) });
      const faults = faultsOf(operation, bare);
      expect([operation, bare.status === 401, faults]).toEqual([operation, security === undefined, []]);
      const answer = await call(method, path, body, more);
      expect([operation, answer.status < 300 || answer.body, faultsOf(operation, answer)]).toEqual([
        operation,
        true,
        [],
      ]);
    }
  });

  it.each(REFUSED)('says how %s is refused (%#)', async (operation, callOf, status, code) => {
    const [path, body, more] = callOf();
    const answer = await call(operation.split(' ')[0] ?? '', path, body, more);
    expect([answer.status, (answer.body as Json)['code']]).toEqual([status, code]);
    expect(faultsOf(operation, answer)).toEqual([]);
  });

  it('says that a path segment may be too long, of every operation that has one', async () => {
    for (const operation of operations().filter((one) => one.includes('{'))) {
      const [method = '', path = ''] = operation.split(' ');
      const answer = await call(method, path.replaceAll(/\{\w+\}/g, 'x'.repeat(5_000)));
      expect([operation, answer.status, faultsOf(operation, answer)]).toEqual([operation, 414, []]);
    }
  });

  it('says which roles may call each operation, and what kind each state is of', () => {
    const rolesOf = (path: string, method: string) => document.paths[path]?.[method]?.['x-roles'];
    expect(rolesOf('/v1/retries', 'post')).toEqual(['operator', 'admin']);
    expect(rolesOf('/v1/events', 'post')).toEqual(['publisher', 'admin']);
    expect(rolesOf('/health/live', 'get')).toHaveLength(4);
    const { SendState, CampaignState } = document.components.schemas as Record<string, Json>;
    expect(SendState).toMatchObject({ 'x-kinds': { stale: 'failed', held: 'paused' } });
    expect(CampaignState).toMatchObject({ 'x-kinds': { canceling: 'running' } });
  });

  it('gives the report as CSV too, and a role that is missing as 403', async () => {
    const path = `/v1/reports/campaigns/${ids.campaign}`;
    const csv = await call('GET', path, undefined, { headers: { accept: 'text/csv' } });
    expect(faultsOf('GET /v1/reports/campaigns/{id}', csv)).toEqual([]);
    const publisher = await scheduler.bearer(['publisher']);
    const refused = await scheduler.call('GET', path, { authorization: publisher });
    expect([refused.status, faultsOf('GET /v1/reports/campaigns/{id}', refused)]).toEqual([403, []]);
  });

  it('holds an example of every body and every answer in JSON, and each fits its schema', () => {
    const contents = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { requestBody, responses }]) => [
        ...(requestBody === undefined
          ? []
          : [[['paths', path, method, 'requestBody'], requestBody] as const]),
        ...Object.entries(responses).flatMap(([status, response]) =>
          '$ref' in response ? [] : [[['paths', path, method, 'responses', status], response] as const],
        ),
      ]),
    );
    const shared = Object.entries(document.components.responses).map(
      ([name, response]) => [['components', 'responses', name], response] as const,
    );
    for (const [place, { content = {} }] of [...contents, ...shared]) {
      for (const [type, { example }] of Object.entries(content)) {
        // Lines of JSON as an answer have no example; as a body they do.
        const isLines = type === 'application/x-ndjson' && !place.includes('requestBody');
        if (isLines || !type.includes('json')) continue;
        const check = ajv.compile({ $ref: `openapi#${pointer([...place, 'content', type, 'schema'])}` });
        check(example);
        expect([place, example !== undefined, check.errors ?? []]).toEqual([place, true, []]);
      }
    }
  });

  it('names every code that the sources answer', () => {
    const text = JSON.stringify(document);
    const files = ['src/scheduler', 'src/platform/http'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    );
    const codes = files
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
      .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/new Problem\(\s*\d+,\s*'([A-Z_]+)'/g)])
      .map(([, code]) => code);
    expect(codes.length).toBeGreaterThan(30);
    // Of a path that is no operation's.
    expect([...new Set(codes)].filter((code) => !text.includes(`"${code}"`))).toEqual(['NO_SUCH_ROUTE']);
  });
});

describe('/docs', () => {
  it('is a page that loads and runs nothing but its own files', async () => {
    const { status, headers, body } = await scheduler.call('GET', '/docs');
    expect(status).toBe(200);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    const page = String(body);
    expect(page).not.toMatch(/<script>|<style|style=|onload=|https?:/);
    const files = [...page.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map(([, file]) => `/${file}`);
    expect(files).toHaveLength(3);
    for (const file of files) {
      const part = await scheduler.call('GET', file);
      expect([file, part.status, faultsOf('GET /docs/{file}', part)]).toEqual([file, 200, []]);
    }
  });
});
