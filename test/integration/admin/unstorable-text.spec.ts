// Text that PostgreSQL cannot hold (U+0000, half of a surrogate pair, bytes that are no UTF-8) in any parameter of any
// route is the caller's fault and answered as such: never a 5xx, which would count as ours and be asked again.
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeCursor } from '../../../src/platform/http/paging.js';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually } from '../../support/eventually.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';

interface Parameter {
  readonly name: string;
  readonly in: string;
}
interface Document {
  readonly paths: Record<string, Record<string, { readonly parameters?: readonly Parameter[] }>>;
}
interface Asked {
  readonly route: string;
  readonly what: string;
  readonly status: number;
}

/** As they stand in a URL; the last two are a surrogate and a byte that decode to nothing. */
const UNSTORABLE = ['%00', 'a%00b', '%ED%A0%80', '%FF'];
/** Every shape a cursor may have, with text in it that no list has shown. */
const CURSORS = ['\0', '\uD800'].flatMap((text) =>
  [[text], [text, 'x'], ['x', text], [v7(), text]].map((place) => writeCursor(place)),
);
const BODIES: Readonly<Record<string, unknown>> = {
  'PATCH /v1/projects/{id}': { ratePerSecond: 5 },
  'POST /v1/projects/{id}/keys': { accessKey: 'a', secretKey: 'b' },
};

let database: TestDatabase;
let scheduler: TestScheduler;
let authorization: string;
let document: Document;
/** The value of a path's parameter while another one is tested. */
const known: Record<string, string> = { '/v1/projects': 'shop', '/v1/plans': '0'.repeat(64) };

beforeAll(async () => {
  database = await cloneDatabase();
  scheduler = await startScheduler(schedulerConfig(database.url));
  await eventually(() => scheduler.dataSource.isInitialized);
  authorization = await scheduler.bearer(['admin']);
  const body = { serviceId: 'shop', baseUrl: 'http://127.0.0.1:9', sources: ['/*'] };
  await scheduler.call('POST', '/v1/projects', { authorization, body });
  await scheduler.call('POST', '/v1/events', { authorization, body: event() });
  known['/v1/campaigns'] = await eventually(() => firstId('/v1/campaigns'));
  known['/v1/reports/campaigns'] = known['/v1/campaigns'];
  known['/v1/sends'] = await eventually(() => firstId('/v1/sends'));
  document = (await scheduler.call('GET', '/openapi.json', { authorization })).body as Document;
});

afterAll(async () => {
  await scheduler.close();
  await database.drop();
});

function event(): object {
  return {
    specversion: '1.0',
    id: v7(),
    source: '/spec',
    type: 'carillon.campaign.scheduled.v1',
    subject: 'walk',
    time: new Date().toISOString(),
    data: {
      serviceId: 'shop',
      audience: { type: 'USER', to: ['anna'] },
      message: { default: { content: 'hello' } },
      delivery: { at: new Date(Date.now() + 86_400_000).toISOString() },
    },
  };
}

async function firstId(path: string): Promise<string> {
  const { body } = await scheduler.call('GET', path, { authorization });
  const [first] = (body as { items: { id: string }[] }).items;
  if (first === undefined) throw new Error(`${path} lists nothing`);
  return first.id;
}

/** The path with something that exists in it. */
function knownPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name === 'occurrence' ? 'an-occurrence' : (known[path.slice(0, path.indexOf('/{'))] ?? v7()),
  );
}

/** Calls the route with each of the texts in each of its parameters. */
async function askAll(where: string, textsOf: (name: string) => readonly string[]): Promise<Asked[]> {
  const asked: Asked[] = [];
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { parameters = [] }] of Object.entries(methods)) {
      const route = `${method.toUpperCase()} ${path}`;
      for (const { name } of parameters.filter((one) => one.in === where)) {
        for (const text of textsOf(name)) {
          const url =
            where === 'path'
              ? knownPath(path.replace(`{${name}}`, text))
              : `${knownPath(path)}?${name}=${text}`;
          const body = BODIES[route];
          const options = { authorization, ...(body !== undefined && { body }) };
          const { status } = await scheduler.call(method.toUpperCase(), url, options);
          asked.push({ route, what: `${name}=${text}`, status });
        }
      }
    }
  }
  return asked;
}

const faultsOfOurs = (asked: readonly Asked[]): Asked[] => asked.filter(({ status }) => status >= 500);

describe('text that cannot be stored', () => {
  it('is refused in every part of a path', async () => {
    const asked = await askAll('path', () => UNSTORABLE);
    expect(asked.length).toBeGreaterThan(60);
    expect(faultsOfOurs(asked)).toEqual([]);
    expect(asked.filter(({ status }) => ![400, 404].includes(status))).toEqual([]);
  });

  it('is no fault of ours in any query parameter', async () => {
    const asked = await askAll('query', () => UNSTORABLE);
    expect(asked.length).toBeGreaterThan(60);
    expect(faultsOfOurs(asked)).toEqual([]);
    // A cursor is base64url, in which a decoder passes over what is none.
    const nul = asked.filter(({ what }) => what.endsWith('=%00') && !what.startsWith('cursor='));
    expect(nul.filter(({ status }) => status !== 400)).toEqual([]);
  });

  it('is refused in every cursor', async () => {
    const asked = await askAll('query', (name) => (name === 'cursor' ? CURSORS : []));
    expect(asked.length).toBeGreaterThan(60);
    expect(asked.filter(({ status }) => ![400, 404, 422].includes(status))).toEqual([]);
  });

  it('names the parameter', async () => {
    const answer = await scheduler.call('GET', '/v1/campaigns?serviceId=%00', { authorization });
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'INVALID_REQUEST', problems: [{ pointer: '?serviceId' }] },
    });
    const inPath = await scheduler.call('GET', '/v1/projects/%00', { authorization });
    expect(inPath).toMatchObject({ status: 400, body: { problems: [{ pointer: '{id}' }] } });
  });

  const bodies: [what: string, path: string, body: object, pointer: string][] = [
    [
      'a source',
      '/v1/projects',
      { serviceId: 'b', baseUrl: 'https://x.test', sources: ['/a\0'] },
      '/sources/0',
    ],
    ['an address', '/v1/projects', { serviceId: 'b', baseUrl: 'https://x.test/\0' }, '/baseUrl'],
    ['a token’s name', '/v1/tokens', { name: '\uD800', roles: ['analyst'], serviceIds: ['*'] }, '/name'],
  ];
  it.each(bodies)('is refused in %s', async (_, path, body, pointer) => {
    const answer = await scheduler.call('POST', path, { authorization, body });
    expect(answer).toMatchObject({ status: 400, body: { problems: [{ pointer }] } });
  });
});
