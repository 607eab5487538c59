// Days gone by and what lies in them, for the specs of retention: a clock that is led on by days, campaigns whose sends ended
// in given ways, rounds of retention, and what is left afterwards.
import { v7 } from 'uuid';
import type { Database } from '../../../src/platform/database/database.js';
import { ensurePartitions } from '../../../src/platform/database/day-partitions.js';
import { Retention } from '../../../src/scheduler/outcomes/retention/retention.js';
import { readLedger, type Ledger } from '../../../src/scheduler/report/ledger/ledger.store.js';
import { insertRetries } from '../../../src/scheduler/store/send/retry.store.js';
import { rollUpAll } from './rollers.js';
import { users, type PlanWorld } from './plan-world.js';

export const DAY_MS = 86_400_000;
export type Bounds = NonNullable<ConstructorParameters<typeof Retention>[3]>;
export const KEPT = { sendsMs: 90 * DAY_MS, reportsMs: 1_100 * DAY_MS };

/** `world`: asked each time, for it is opened after the specs are described. */
export function retentionBuilders(world: () => PlanWorld) {
  const now = (): Date => new Date(world().clock.now());
  const ledger = (): Promise<Ledger> =>
    readLedger(world().dataSource, { serviceIds: null }, world().clock.now());

  /** Moves the clock to a later instant, and makes the days up to it. */
  async function later(days: number): Promise<void> {
    world().clock.advance(days * DAY_MS);
    await ensurePartitions(world().dataSource, now());
  }

  /** No day goes before what became of its sends is rolled up. */
  const rollUp = (): Promise<void> => rollUpAll(world().dataSource);

  /** Rounds until there is nothing more to do, all being rolled up. */
  async function retire(database: Database = world().dataSource, bounds?: Bounds): Promise<void> {
    await rollUp();
    const retention = new Retention(database, world().clock, KEPT, { marginMs: 0, ...bounds });
    for (let round = 0; (await retention.runOnce()) > 0; round += 1)
      if (round > 500) throw new Error('no end');
  }

  /** A campaign of one cell whose sends go these ways, a chunk each. */
  async function campaign(
    ...ends: readonly ('sent' | 'failed' | 'uncertain' | 'scheduled')[]
  ): Promise<{ id: string; sends: string[] }> {
    const made = await world().planned({ audience: users(ends.length) });
    for (const [index, end] of ends.entries()) {
      const at = world().clock.now() + 1_234 + 1_000 * index;
      const answered = {
        answered_at: new Date(at),
        request_id: `r-${index}`,
        target_count: 3,
        sent_count: end === 'sent' ? 2 : 0,
      };
      const path = {
        sent: ['accepted', 'sent'],
        failed: ['accepted', 'failed'],
        uncertain: ['uncertain'],
        scheduled: ['scheduled'],
      } as const;
      await world().lead(
        made.sends[index] ?? '',
        ['sending', ...path[end]],
        end === 'uncertain' ? {} : answered,
      );
    }
    while ((await world().closeFinished.runOnce()) > 0);
    return made;
  }

  /** As an operator does. */
  async function retryOf(of: string): Promise<string> {
    const id = v7({ msecs: world().clock.now() });
    await insertRetries(
      world().dataSource,
      [{ of, id, dueAt: world().clock.now() }],
      world().clock.now(),
      'spec',
    );
    return id;
  }

  /** Its result comes the same day. */
  async function retried(of: string): Promise<string> {
    const id = await retryOf(of);
    await world().lead(id, ['sending', 'accepted', 'sent'], {
      answered_at: now(),
      request_id: 'again',
      target_count: 3,
      sent_count: 3,
    });
    return id;
  }

  async function kept(
    sends: readonly string[],
  ): Promise<{ id: string; place: string; recipients: string }[]> {
    return world().rows(
      `select s.id, s.tableoid::regclass::text as place, r.tableoid::regclass::text as recipients
         from send s left join send_recipients r on r.send = s.id where s.id = any($1) order by s.id`,
      [sends],
    );
  }

  return { now, ledger, later, rollUp, retire, campaign, retryOf, retried, kept };
}
