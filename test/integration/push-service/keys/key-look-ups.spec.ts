// What authentication costs the database: one look-up a key and cache period, however many requests, of known and
// unknown keys alike. Counted in the statements that reach a real PostgreSQL through the real gateway.
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { FastifyInstance } from 'fastify';
import { RefusedAuthentication } from '../../../../src/platform/http/refused-authentication.js';
import { pino } from 'pino';
import { SystemClock, type Clock } from '../../../../src/platform/clock.js';
import type { Sql } from '../../../../src/platform/database/database.js';
import { Secret } from '../../../../src/platform/env.js';
import { newMasterKey, Sealer } from '../../../../src/platform/secrets/sealed.js';
import { NO_TRACING } from '../../../../src/platform/tracing/tracing.js';
import { AccessCache } from '../../../../src/push-service/gateway/access-cache.js';
import { SECRET as ACCESS_SECRET } from '../../../../src/push-service/gateway/access.store.js';
import { loadZoneRules } from '../../../../src/zone-rules/load-zone-rules.js';
import { createGateway } from '../../../../src/push-service/gateway/gateway.server.js';
import { PushErrorFilter } from '../../../../src/push-service/gateway/push-error.filter.js';
import { RateLimit } from '../../../../src/push-service/gateway/rate-limit.js';
import { addService, openDatabase, type OpenedDatabase } from '../delivery/push-rows.js';

const PERIOD_MS = 5_000;
const SECRET = 'the secret of a spec';
const PATH = '/push/v2/services/looked-up/anything';

let opened: OpenedDatabase;
let gateway: FastifyInstance;
let statements = 0;
let atOnce = 0;
let mostAtOnce = 0;
let elapsed = 0;

beforeAll(async () => {
  opened = await openDatabase();
  const { sql } = opened;
  const sealer = new Sealer(new Secret(newMasterKey('spec')));
  const now = new Date();
  await addService(sql, 'looked-up', now);
  await sql.query(
    'insert into access_key (access_key, account_id, position, secret_sealed, created_at) values ($1, $2, 1, $3, $4)',
    ['known', 'looked-up', sealer.seal(SECRET, ACCESS_SECRET, 'known'), now],
  );
  const counted: Sql = {
    query: async <Row>(...given: Parameters<Sql['query']>) => {
      statements += 1;
      atOnce += 1;
      mostAtOnce = Math.max(mostAtOnce, atOnce);
      try {
        return await sql.query<Row>(...given);
      } finally {
        atOnce -= 1;
      }
    },
  };
  const machine = new SystemClock();
  const clock: Clock = { now: () => machine.now(), elapsed: () => elapsed, at: machine.at.bind(machine) };
  const log = pino({ level: 'silent' });
  gateway = createGateway({
    limits: { requestTimeoutMs: 30_000, maxConnections: 100, maxConnectionsPerAddress: 100 },
    maxBodyBytes: 1_024,
    keys: new AccessCache({ sql: counted, sealer, rules: loadZoneRules(), clock, periodMs: PERIOD_MS }),
    rateLimit: new RateLimit(counted, clock, 1_000_000),
    clock,
    windowMs: 300_000,
    filter: new PushErrorFilter(log),
    log,
    tracing: NO_TRACING,
    trace: new RefusedAuthentication({ count: { inc: () => undefined }, log, clock }),
  });
  gateway.get(PATH, () => 'passed');
  gateway.setErrorHandler((error, request, reply) =>
    new PushErrorFilter(pino({ level: 'silent' })).write(error, request, reply),
  );
  await gateway.ready();
});
afterAll(async () => {
  await gateway.close();
  await opened.close();
});
beforeEach(() => {
  statements = 0;
  mostAtOnce = 0;
  // Whatever an earlier test had remembered is over.
  elapsed += PERIOD_MS;
});

/** The statuses of `count` requests at once with one key. */
function ask(accessKey: string, count: number): Promise<number[]> {
  return askWith(Array.from({ length: count }, () => accessKey));
}

/** The statuses of requests at once, one with each key. */
async function askWith(accessKeys: readonly string[]): Promise<number[]> {
  const answers = await Promise.all(
    accessKeys.map((accessKey) => {
      const timestamp = String(Date.now());
      const signature = createHmac('sha256', SECRET)
        .update(`GET ${PATH}\n${timestamp}\n${accessKey}`)
        .digest('base64');
      const headers = {
        'x-svc-apigw-timestamp': timestamp,
        'x-svc-iam-access-key': accessKey,
        'x-svc-apigw-signature-v2': signature,
      };
      return gateway.inject({ method: 'GET', url: PATH, headers });
    }),
  );
  return [...new Set(answers.map(({ statusCode }) => statusCode))];
}

it('looks a key up once for all requests of a period, those that come at once included', async () => {
  expect(await ask('known', 200)).toEqual([200]);
  elapsed += PERIOD_MS - 1;
  expect(await ask('known', 200)).toEqual([200]);
  expect(statements).toBe(1);
});

it('looks it up once more in the next period', async () => {
  await ask('known', 50);
  elapsed += PERIOD_MS;
  await ask('known', 50);
  expect(statements).toBe(2);
});

it('looks an unknown key up as rarely as a known one', async () => {
  expect(await ask('unknown', 200)).toEqual([401]);
  expect(await ask('unknown', 200)).toEqual([401]);
  expect(statements).toBe(1);
});

it('asks for no key of over 128 characters, and for one of 128', async () => {
  expect(await ask('k'.repeat(129), 10)).toEqual([401]);
  expect(statements).toBe(0);
  expect(await ask('k'.repeat(128), 1)).toEqual([401]);
  expect(statements).toBe(1);
});

it('remembers a known key whatever number of unknown ones come after it', async () => {
  await ask('known', 1);
  for (let hundred = 0; hundred < 110; hundred += 1)
    await askWith(Array.from({ length: 100 }, (_, index) => `unknown-${hundred}-${index}`));
  statements = 0;
  expect(await ask('known', 10)).toEqual([200]);
  expect(statements).toBe(0);
});

it('takes two connections at most to look up whatever number of keys comes at once', async () => {
  const strangers = Array.from({ length: 2_000 }, (_, index) => `stranger-${index}`);
  expect(await askWith([...strangers, 'known'])).toEqual([401, 200]);
  expect(mostAtOnce).toBeLessThanOrEqual(2);
  expect(statements).toBeLessThan(50);
});
