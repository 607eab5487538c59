// Seeded rounds of faults in real processes: two dispatchers that are killed and started again, a push service that fails in every way,
// a database that loses its connections or is restarted. After each round the push service's rows are compared with our ledger.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres, type RunningPostgres } from '../../../../tools/postgres.js';
import { Management } from '../../../contract/push-service/support/client.js';
import { startTarget, type Target } from '../../../contract/push-service/support/target.js';
import { eventually } from '../../../support/eventually.js';
import { testLength } from '../../../support/lengths.js';
import { randomOf } from '../../../support/seeded.js';
import { Dispatcher } from '../../../support/scheduler/dispatcher.js';
import { World } from '../../../support/scheduler/world.js';

const ROUNDS = testLength('FAULT_ROUNDS', { normal: 3, long: 50 });
const SEED = Number(process.env['CARILLON_TEST_SEED'] ?? 20_270_301);
const SENDS = 120;
const IN_FLIGHT = 8;

const FAULTS = [
  { kind: 'reset', lost: true },
  { kind: 'answerLost', lost: true },
  { kind: 'truncated', lost: true },
  { kind: 'error', error: 'endpointTimeout', lost: true },
  { kind: 'error', error: 'unexpected', lost: true },
  { kind: 'error', error: 'endpointError', lost: false },
  { kind: 'error', error: 'throttleLimited', retryAfterSeconds: 1, lost: false },
  { kind: 'delay', ms: 300, lost: false },
] as const;

let postgres: RunningPostgres;
let target: Target;
let folder: string;
let dispatchers: Dispatcher[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'carillon-chaos-'));
  postgres = await startPostgres({ stateDir: folder, durable: false });
  target = await startTarget({ PUSH_IDLE_MS: '50' });
});
afterEach(async () => {
  for (const dispatcher of dispatchers.splice(0)) await dispatcher.kill();
});
afterAll(async () => {
  await target.close();
  await postgres.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** The users of each request the push service took, by requestId. */
async function takenByUser(): Promise<Map<string, string[]>> {
  const client = new Client({ connectionString: target.databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string; user: string }>(
      `select m.id, jsonb_array_elements_text(m.request::jsonb -> 'target' -> 'to') as user from push.message m`,
    );
    const taken = new Map<string, string[]>();
    for (const { id, user } of rows) taken.set(user, [...(taken.get(user) ?? []), id]);
    return taken;
  } finally {
    await client.end();
  }
}

function chunksOf<Value>(values: readonly Value[], size: number): Value[][] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size),
  );
}

describe.each(Array.from({ length: ROUNDS }, (_, round) => SEED + round))(
  'a round of faults, seed %i',
  (seed) => {
    it('loses nothing, sends nothing twice, and is uncertain of no more than it must be', async () => {
      const random = randomOf(seed);
      const world = await World.migrated(await postgres.ensureDatabase(`chaos_${seed}`));
      const management = new Management(target);
      const project = await management.newService({});
      const { serviceId, keys } = project;
      await world.project(
        { service_id: serviceId, base_url: target.url, in_flight: IN_FLIGHT, rate_per_second: 1_000 },
        [[keys.accessKey, keys.secretKey]],
      );
      const campaign = await world.campaign({ serviceId, target: { type: 'USER' } });
      const firstDue = Date.now() + 3_000;
      const dues = new Map<string, number>();
      for (let chunk = 0; chunk < SENDS; chunk += 1) {
        const dueAt = firstDue + Math.floor(random() * 2_500);
        const user = `user-${seed}-${chunk}`;
        dues.set(user, dueAt);
        await world.send({ campaign, serviceId, chunk, recipients: [user], dueAt });
      }
      for (const users of chunksOf([...dues.keys()], 20)) {
        await Promise.all(users.map((userId) => project.register({ userId })));
      }
      let lost = 0;
      for (const fault of FAULTS) {
        const count = Math.floor(random() * 4);
        if (count === 0) continue;
        if (fault.lost) lost += count;
        const { lost: _, ...named } = fault;
        await management.addFault({ ...named, operation: 'sendMessage', serviceId, count, probability: 0.3 });
      }
      const settings = {
        url: world.url,
        masterKey: world.masterKey,
        aheadMs: 1_000,
        timeoutMs: 20_000,
        follows: true,
      };
      let started = 0;
      const start = () => Dispatcher.start({ ...settings, by: `dispatcher ${(started += 1)}` });
      dispatchers = await Promise.all([start(), start()]);
      const onTheWire = async (): Promise<number> => {
        const [row] = await world.dataSource.query<{ n: number }>(
          `select count(*)::int as n from send where state = 'sending'`,
        );
        return row?.n ?? 0;
      };
      const handedOff = async (): Promise<number> => {
        const [row] = await world.dataSource.query<{ n: number }>(
          'select count(*)::int as n from send where attempts > 0',
        );
        return row?.n ?? 0;
      };
      // A kill may leave at most the sends uncertain that the process had in flight.
      let killed = 0;
      for (let blow = 0; blow < 3; blow += 1) {
        // The fault comes during work: once so many sends have left.
        const left = Math.floor(SENDS * ((blow + random()) / 3));
        await eventually(async () => (await handedOff()) >= left, { withinMs: 60_000, everyMs: 5 });
        const which = Math.floor(random() * 4);
        if (which <= 1) {
          const index = Math.floor(random() * 2);
          const victim = dispatchers[index];
          await victim?.kill();
          await world.isGone(victim?.by ?? '');
          killed += IN_FLIGHT;
          dispatchers[index] = await start();
        } else if (which === 2) {
          await world.dataSource.query(
            `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'dispatcher of a spec'`,
          );
        } else {
          await world.dataSource.destroy();
          await postgres.restart();
          await world.dataSource.initialize();
        }
      }
      await management.clearFaults();
      await eventually(
        async () => {
          const rows = await world.dataSource.query(
            `select state, code, count(*)::int as n from send where state not in ('sent', 'uncertain') group by 1, 2`,
          );
          expect(rows).toEqual([]);
        },
        { withinMs: 90_000, everyMs: 100 },
      );
      expect(await onTheWire()).toBe(0);
      for (const dispatcher of dispatchers) await dispatcher.stop();

      const taken = await takenByUser();
      const sends = await world.dataSource.query<{
        user: string;
        state: string;
        request_id: string | null;
        attempts: number;
        handed_off_at: Date;
      }>(`select 'user-${seed}-' || chunk as user, state, request_id, attempts, handed_off_at from send`);
      expect(sends).toHaveLength(SENDS);
      const wrong = sends.filter(({ user, state, request_id, handed_off_at }) => {
        const requests = taken.get(user) ?? [];
        const early = handed_off_at.getTime() < (dues.get(user) ?? 0);
        const right =
          state === 'uncertain' ? requests.length <= 1 : requests.length === 1 && requests[0] === request_id;
        return !right || early;
      });
      expect(wrong).toEqual([]);
      const uncertain = sends.filter((send) => send.state === 'uncertain').length;
      expect(uncertain).toBeLessThanOrEqual(lost + killed);
      // Every call has an attempt, and history leads from the insert to each send's state.
      const gaps = await world.dataSource.query(
        `select s.id from send s
        where s.attempts <> (select count(*) from send_attempt a where a.send = s.id)
           or s.state <> (select h.to_state from send_history h where h.send = s.id order by sequence desc limit 1)`,
      );
      expect(gaps).toEqual([]);
      await world.close();
    }, 240_000);
  },
);
