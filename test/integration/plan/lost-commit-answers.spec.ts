// Seeded rounds in which accepting, planning and cancelling are committed and not answered, or their connections are cut
// again and again. Whoever asked asks again, as Kafka, publishers, loops and operators do: each event counts once, each
// campaign is planned once, and the ledger balances.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { PooledDatabase } from '../../../src/platform/database/pooled-database.js';
import { loadZoneRules } from '../../../src/zone-rules/load-zone-rules.js';
import { WorkActs } from '../../../src/scheduler/operate/changes/work-acts.js';
import { ActOnCampaign } from '../../../src/scheduler/operate/changes/act-on-campaign.js';
import { readLedger } from '../../../src/scheduler/report/ledger/ledger.store.js';
import { AnswerLosingProxy } from '../../support/postgres/answer-losing-proxy.js';
import { eventually } from '../../support/eventually.js';
import { testLength } from '../../support/lengths.js';
import { randomOf } from '../../support/seeded.js';
import { sendStatementOf, type SendStatement } from '../../support/postgres/send-statements.js';
import {
  canceled,
  dataSourceOf,
  fromHttp,
  fromKafka,
  intakeOf,
  IntakeWorld,
  scheduled,
} from '../../support/scheduler/intake-world.js';
import { plannerOn } from '../../support/scheduler/plan-world.js';

const ROUNDS = testLength('FAULT_ROUNDS', { normal: 3, long: 50 });
const SEED = Number(process.env['CARILLON_TEST_SEED'] ?? 20_270_601);
const CUT_SECONDS = testLength('CUT_SECONDS', { normal: 2, long: 15 });
const CUT_EVERY_MS = 400;
const BATCHES = 3;
const EACH = 4;
const FAULTS = ['answers lost', 'connections cut'] as const;
const CASES = Array.from({ length: ROUNDS }, (_, round) => SEED + round).flatMap((seed, round) =>
  FAULTS.filter((_, index) => ROUNDS > 3 || index === round % 2).map((fault) => ({ seed, fault })),
);

let world: IntakeWorld;
let proxy: AnswerLosingProxy<SendStatement>;
let sql: PooledDatabase;
let random: () => number;
let lostIn: number;

beforeAll(async () => {
  world = await IntakeWorld.open();
  proxy = await AnswerLosingProxy.inFrontOf(world.url, {
    nameOf: sendStatementOf,
    fateOf: () => (random() < lostIn ? 'lost' : undefined),
  });
});
afterEach(() => sql.destroy());
afterAll(async () => {
  await proxy.close();
  await world.close();
});

const everyone = { audience: { type: 'USER', to: ['one', 'two', 'three'] } };
const OPEN = `select count(*)::int as n from campaign where state in ('accepted', 'planning')`;

/** Every campaign once from Kafka or a publisher, some of them cancelled by an event. Each is given until it is answered. */
async function acceptAll(names: readonly string[]): Promise<void> {
  const intake = intakeOf(sql, world.clock);
  for (let first = 0; first < names.length; first += EACH) {
    const some = names.slice(first, first + EACH);
    const from = random() < 0.5 ? fromKafka : fromHttp;
    const raws = some.map((name) => from(scheduled(name, everyone, { id: name })));
    await eventually(() => intake.accept(raws));
    const [named = ''] = some;
    if (random() < 0.5) await planAll(1);
    const cancel = [from(canceled(named, {}, { id: `${named}-off` }))];
    await eventually(() => intake.accept(cancel));
  }
}

/** By so many planners side by side, until none is left to plan. */
async function planAll(planners: number): Promise<void> {
  const rounds = Array.from({ length: planners }, async () => {
    const planner = plannerOn(sql, world.clock);
    await eventually(async () => {
      await planner.runOnce();
      world.clock.advance(10_000);
      const [open] = await world.dataSource.query<{ n: number }>(OPEN);
      return open?.n === 0;
    });
  });
  await Promise.all(rounds);
}

it('a campaign whose planning was committed without an answer does not say that it failed', async () => {
  random = () => (proxy.lost.get('plan') === undefined ? 0 : 1);
  lostIn = 0;
  sql = dataSourceOf(proxy.url);
  await sql.initialize();
  await intakeOf(sql, world.clock).accept([fromHttp(scheduled('unanswered', everyone))]);
  lostIn = 1;
  await expect(plannerOn(sql, world.clock).runOnce()).rejects.toThrow(/terminated|ECONNRESET|08001/);
  const rows = await world.rows(`select state, code from campaign where campaign_id = 'unanswered'`);
  expect(rows).toEqual([{ state: 'planned', code: null }]);
  expect(proxy.lost.get('plan')).toBe(1);
});

describe.each(CASES)('$fault, seed $seed', ({ seed, fault }) => {
  it('counts each event once, plans each campaign once, and cancels what was to be', async () => {
    random = randomOf(seed);
    lostIn = fault === 'answers lost' ? 0.3 : 0;
    sql = dataSourceOf(proxy.url);
    await eventually(() => sql.initialize());
    if (fault === 'connections cut') proxy.cutEvery(CUT_EVERY_MS, (CUT_SECONDS * 1_000) / CUT_EVERY_MS);
    const names = Array.from(
      { length: BATCHES * EACH },
      (_, index) => `${fault.replace(' ', '-')}-${seed}-${index}`,
    );
    await acceptAll(names);
    await planAll(2);
    const byHand = await campaignOf(names.at(-1) ?? '');
    const cancel = new ActOnCampaign(sql, world.clock, loadZoneRules());
    const order = {
      act: 'cancel' as const,
      preview: false,
      campaign: byHand,
      occurrence: undefined,
      who: 'ops',
      holds: () => true,
      reason: undefined,
    };
    await eventually(() => cancel.run(order));
    const acts = new WorkActs({ database: sql, clock: world.clock });
    await eventually(async () => expect(await acts.runOnce()).toBe(0), { everyMs: 1 });

    const rows = await world.rows<{ state: string; code: string | null; n: number }>(
      `select c.state, c.code, count(s.id)::int as n from campaign c left join send s on s.campaign = c.id
        where c.campaign_id = any($1) group by c.id order by c.campaign_id`,
      [names],
    );
    expect(rows).toHaveLength(names.length);
    // The plan's own code would say that it failed.
    const planned = rows.filter(({ state }) => state === 'planned');
    expect(planned).toEqual(planned.map(() => ({ state: 'planned', code: null, n: 1 })));
    const off = rows.filter(({ state }) => state !== 'planned');
    expect(off).toHaveLength(BATCHES + 1);
    for (const { state, n } of off) expect([state, n <= 1]).toEqual(['canceling', true]);
    const left = await world.rows(
      `select s.state from send s join campaign c on c.id = s.campaign
        where (c.state = 'planned') <> (s.state = 'planned') or s.state not in ('planned', 'canceled')`,
    );
    expect(left).toEqual([]);
    // The one who asked in vain asked again: one of the two did it, and the log says which.
    const audited = await world.rows<{ before: { state: string } }>(
      'select before from audit where target = $1',
      [byHand],
    );
    expect(audited.filter(({ before }) => before.state === 'planned')).toHaveLength(1);
    expect(await readLedger(world.dataSource, { serviceIds: null }, world.clock.now())).toMatchObject({
      balanced: true,
      missing: [],
    });
  }, 120_000);
});

async function campaignOf(name: string): Promise<string> {
  const [row] = await world.rows<{ id: string }>('select id from campaign where campaign_id = $1', [name]);
  if (row === undefined) throw new Error(`there is no campaign ${name}`);
  return row.id;
}
