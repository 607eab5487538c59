// Seeded histories of a campaign: revisions, pauses, resumes and a cancel, in any order, beside fires and answers of a push service that
// is played here; pages by two processes at once, whose statements may be committed without an answer. Whatever happens, nobody gets
// anything twice, and whom the last revision names and nothing excuses gets it once.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PooledDatabase } from '../../../src/platform/database/pooled-database.js';
import type { CampaignAct } from '../../../src/scheduler/decide/lifecycle/campaign-act.js';
import type { Campaign, Delivery } from '../../../src/scheduler/decide/plan/campaign.js';
import { WorkActs } from '../../../src/scheduler/operate/changes/work-acts.js';
import { readLedger } from '../../../src/scheduler/report/ledger/ledger.store.js';
import { askAct } from '../../../src/scheduler/store/send/act.store.js';
import { recordAnswers, type AnsweredState } from '../../../src/scheduler/store/send/answer.store.js';
import { fireSends } from '../../../src/scheduler/store/send/fire.store.js';
import { testLength } from '../../support/lengths.js';
import { AnswerLosingProxy } from '../../support/postgres/answer-losing-proxy.js';
import { randomOf } from '../../support/seeded.js';
import { dataSourceOf } from '../../support/scheduler/intake-world.js';
import { PlanWorld, START } from '../../support/scheduler/plan-world.js';

const HISTORIES = testLength('FAULT_ROUNDS', { normal: 8, long: 200 });
const SEED = Number(process.env['CARILLON_TEST_SEED'] ?? 20_270_801);
const STEPS = 14;
const HOUR = 3_600_000;
const REPLICA = '01955200-0000-7000-8000-000000000001';
const POOL = Array.from({ length: 9 }, (_, index) => `user-${index}`);

let world: PlanWorld;
let proxy: AnswerLosingProxy<'page'>;
let lossy: PooledDatabase;
let random = (): number => 1;
let lostIn = 0;

beforeAll(async () => {
  world = await PlanWorld.open();
  await world.rows('update project set max_to = 2');
  proxy = await AnswerLosingProxy.inFrontOf(world.url, {
    nameOf: (text) => (text.includes('from campaign_act') ? 'page' : undefined),
    fateOf: () => (random() < lostIn ? 'lost' : undefined),
  });
  lossy = dataSourceOf(proxy.url);
  await lossy.initialize();
});
afterAll(async () => {
  await lossy.destroy();
  await proxy.close();
  await world.close();
});

const pick = <Value>(values: readonly Value[]): Value => {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new RangeError('there is nothing to pick from');
  return value;
};

interface Row {
  readonly id: string;
  readonly state: string;
  readonly attempts: number;
  readonly revision: number;
  readonly due: number;
}

/** One campaign, and what the push service has of it. */
class History {
  /** Who got a message, each time. */
  readonly got: string[] = [];
  /** What the push service holds, by send. */
  readonly held = new Map<string, readonly string[]>();
  /** Those of whom nobody can say, or whose send ended with nothing. */
  readonly excused = new Set<string>();
  isCanceled = false;

  constructor(readonly id: string) {}

  rows(state: string): Promise<Row[]> {
    return world.rows<Row>(
      `select id, state, attempts, revision, extract(epoch from due_at)::float8 * 1000 as due
         from send where campaign = $1 and state = $2 order by id`,
      [this.id, state],
    );
  }

  /** Some of what is planned leaves; `only`: every call has this answer. */
  async fire(only?: 'accepted'): Promise<void> {
    const planned = (await this.rows('planned')).filter(() => only !== undefined || random() < 0.5);
    const orders = planned.map(({ id, attempts, revision, due }) => ({
      id,
      attempts,
      revision,
      mode: 'immediate' as const,
      modeRule: 'DUE_NOW' as const,
      dueAt: due,
      at: world.clock.now(),
    }));
    const context = { now: world.clock.now(), by: 'dispatch', replica: REPLICA };
    for (const { id, attempt, recipients } of await fireSends(world.dataSource, orders, context)) {
      const to = recipients ?? [];
      const state =
        only ?? pick<AnsweredState>(['accepted', 'reserved', 'reserved', 'reserved', 'planned', 'uncertain']);
      if (state === 'accepted') this.got.push(...to);
      if (state === 'reserved') this.held.set(id, to);
      if (state === 'uncertain') {
        for (const user of to) this.excused.add(user);
        if (random() < 0.5) this.got.push(...to);
      }
      // A page may come between the call and its answer.
      if (only === undefined && random() < 0.3) await this.pages();
      await this.answer(id, attempt, state);
    }
  }

  async answer(id: string, attempt: number, state: AnsweredState): Promise<void> {
    await recordAnswers(
      world.dataSource,
      [
        {
          id,
          attempt,
          state,
          code: null,
          detail: null,
          answeredAt: world.clock.now(),
          requestId: state === 'reserved' ? `r-${id}-${attempt}` : null,
          gatewayStatus: null,
          nextAt: world.clock.now(),
          requestSent: true,
          httpStatus: state === 'uncertain' ? null : 202,
          errorCode: null,
          answer: null,
          outcome: state,
        },
      ],
      'dispatch',
      world.clock.now(),
    );
  }

  /** Cancels at the push service: 204, or 404 for what is cancelled already, or DONE, or no answer. `all`: each is answered. */
  async follow(all = false): Promise<void> {
    for (const { id } of await this.rows('canceling')) {
      if (!all && random() < 0.4) {
        // The cancel took effect or not, and no answer came.
        if (random() < 0.5 && this.held.has(id)) this.held.set(id, []);
        continue;
      }
      const to = this.held.get(id) ?? [];
      if (!all && to.length > 0 && random() < 0.3) {
        await world.lead(id, ['reserved']);
        continue;
      }
      this.held.delete(id);
      await world.rows(
        `update send set state = coalesce(goal, 'canceled'), changes = changes + 1, state_at = $2, state_by = 'follow' where id = $1`,
        [id, new Date(world.clock.now())],
      );
    }
    for (const { id } of await this.rows('reserved')) {
      const to = this.held.get(id);
      if (to === undefined || to.length === 0 || (!all && random() < 0.8)) continue;
      this.got.push(...to);
      this.held.delete(id);
      await world.lead(id, ['accepted']);
    }
  }

  /** By two processes at once, page by page; what has no answer is done again by the next round. */
  async pages(): Promise<void> {
    const by = [lossy, world.dataSource].map(
      (database) => new WorkActs({ database, clock: world.clock, page: 2 }),
    );
    await world.rows(
      "update campaign_act set page_at = least(page_at, clock_timestamp()) where page_at < 'infinity'",
    );
    for (let round = 0; round < 40; round += 1) {
      const did = await Promise.allSettled(by.map((acts) => acts.runOnce()));
      if (did.every((one) => one.status === 'fulfilled' && one.value === 0)) return;
    }
  }

  async act(act: CampaignAct): Promise<void> {
    if (act === 'cancel') this.isCanceled = true;
    const now = new Date(world.clock.now());
    await world.dataSource.transaction((sql) =>
      askAct(sql, { act, campaign: this.id, now, by: 'ops', code: act }),
    );
  }

  async step(): Promise<void> {
    world.clock.advance(1_000);
    const revise = (differs: Partial<Campaign>) => async (): Promise<void> => {
      if (!this.isCanceled) await world.revised(this.id, differs);
    };
    const some = POOL.filter(() => random() < 0.6);
    const audience = {
      type: 'USER',
      to: some.length === 0 ? POOL : some,
      deviceType: null,
      country: [],
    } as const;
    const steps: (() => Promise<unknown>)[] = [
      revise({ message: { default: { content: `at ${world.clock.now()}` } } }),
      revise({ delivery: at(12 + Math.floor(random() * 5)) }),
      revise({ audience }),
      () => world.planDue.runOnce(),
      () => world.planDue.runOnce(),
      () => this.pages(),
      () => this.pages(),
      () => this.fire(),
      () => this.follow(),
      () => this.act('pause'),
      () => this.act('resume'),
      () => (random() < 0.2 ? this.act('cancel') : Promise.resolve()),
    ];
    await pick(steps)();
  }

  /** Everything is answered, released and planned, and what may leave has left. */
  async end(): Promise<void> {
    lostIn = 0;
    await this.act('resume');
    for (let round = 0; round < 12; round += 1) {
      world.clock.advance(2_000);
      await world.planDue.runOnce();
      await this.pages();
      await this.follow(true);
      await this.pages();
    }
    await this.fire('accepted');
    await this.follow(true);
  }
}

const at = (hours: number): Delivery => ({ kind: 'instant', at: START + hours * HOUR });

it.each(Array.from({ length: HISTORIES }, (_, index) => SEED + index))(
  'seed %d',
  async (seed) => {
    world.clock.set(new Date(Math.max(world.clock.now(), START)).toISOString());
    random = randomOf(seed);
    lostIn = 0;
    const audience = { type: 'USER', to: POOL.slice(0, 6), deviceType: null, country: [] } as const;
    const { id } = await world.planned({ audience, delivery: at(12) });
    const history = new History(id);
    lostIn = 0.15;
    for (let step = 0; step < STEPS; step += 1) await history.step();
    await history.end();
    expect(
      await world.rows("select from campaign_act where campaign = $1 and mark = 'revision'", [id]),
    ).toEqual([]);

    const twice = history.got.filter((user, index) => history.got.indexOf(user) !== index);
    expect(twice).toEqual([]);
    const [last] = await world.rows<{ to: string[]; revisions: string[] }>(
      `select r.data #> '{audience,to}' as to, array(select o.state from revision o where o.campaign = r.campaign order by 1) as revisions
         from campaign c join revision r on r.campaign = c.id and r.revision = c.revision where c.id = $1`,
      [id],
    );
    const missed = (last?.to ?? []).filter(
      (user) => !history.got.includes(user) && !history.excused.has(user),
    );
    expect(history.isCanceled ? [] : missed).toEqual([]);
    expect(last?.revisions.filter((state) => state === 'in-force')).toHaveLength(1);
    expect(last?.revisions).not.toContain('planning');
    const ledger = await readLedger(
      world.dataSource,
      { serviceIds: null, from: undefined, to: undefined },
      world.clock.now(),
    );
    expect(ledger).toMatchObject({ missing: [] });
  },
  120_000,
);
