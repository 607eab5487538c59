// Every way to a count gives the same number: a campaign in the list and alone, the cells of its plan, its report as JSON and as
// CSV, the lists of its sends, the groups of failures, summary and ledger. Over random histories with tests, several cells and
// projects, before and after the days of their sends have gone.
import { v7 } from 'uuid';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { SteppedClock } from '../../../src/platform/clock.js';
import { inSnapshot } from '../../../src/platform/database/snapshot.js';
import type { Page } from '../../../src/platform/http/paging.js';
import { CallerIdentity } from '../../../src/scheduler/admin/auth/caller.js';
import { Retention } from '../../../src/scheduler/outcomes/retention/retention.js';
import {
  ATTENTION_STATES,
  SEND_TERMS,
  statesOfTerm,
  type SendState,
} from '../../../src/scheduler/decide/lifecycle/send-state.js';
import { readLedger } from '../../../src/scheduler/report/ledger/ledger.store.js';
import { CampaignsController } from '../../../src/scheduler/report/lists/campaigns.controller.js';
import type { FailureKey } from '../../../src/scheduler/report/lists/failure-groups.store.js';
import { FailuresController } from '../../../src/scheduler/report/lists/failures.controller.js';
import { SendsController } from '../../../src/scheduler/report/lists/sends.controller.js';
import { groupedTotals } from '../../../src/scheduler/report/over-campaigns/grouped-report.store.js';
import { summaryReport } from '../../../src/scheduler/report/over-campaigns/summary.store.js';
import { sendFilterQuery } from '../../../src/scheduler/store/read/send-filter.js';
import { loadZoneRules } from '../../../src/zone-rules/load-zone-rules.js';
import { testLength } from '../../support/lengths.js';
import {
  figuresOfCsv,
  figuresOfJson,
  figuresOfLedger,
  sumOfFigures,
  type Figures,
} from '../../support/scheduler/report-figures.js';
import { rollUpAll } from '../../support/scheduler/rollers.js';
import { DAY_MS, KEPT } from '../../support/scheduler/retention-builders.js';
import { schedulerConfig } from '../../support/scheduler/running-scheduler.js';
import { shownReport } from '../../support/scheduler/whole-report.js';
import { SERVICE, START, World } from '../../support/scheduler/world.js';
import { dropDays } from '../../support/postgres/partitions.js';
import { ensurePartitions } from '../../../src/platform/database/day-partitions.js';
import { Histories, MINUTE_MS } from './histories.js';

const HISTORIES = testLength('COUNTED_HISTORIES', { normal: 3, long: 60 });
const STEPS = 60;
const OTHER = 'other-app';
/** Behind the cutoff lie the ids of the histories, which are of the machine's day, and the ends of their sends. */
const LATER = Math.max(START, Date.now()) + 100 * DAY_MS;

/** Each key that failures are grouped by once. */
const GROUPINGS: readonly (readonly FailureKey[])[] = [
  ['code', 'project'],
  ['campaign'],
  ['zone', 'mode', 'httpStatus'],
];

type Sends = Partial<Record<SendState, number>>;
const all = { serviceIds: null };
const caller = new CallerIdentity(
  { id: v7(), name: 'spec', serviceIds: ['*'], sources: [], expiresAt: new Date(0) },
  ['admin'],
);

/** Each cell has as many planned requests as sends that count. */
const PLAN = `
update cell k set chunks =
  (select count(*) from send s where s.campaign = k.campaign and s.occurrence = k.occurrence and s.cell = k.cell
                                and s.next_send is null and s.state <> 'superseded')
  + (select coalesce(sum(g.sends), 0) from send_gone g
      where g.campaign = k.campaign and g.occurrence = k.occurrence and g.cell = k.cell)`;

/** Lists look for a campaign's sends from its creation on, and the ids of the sends are of the machine's day. */
const MADE = 'update campaign set created_at = bound_at(id::text)';

/** What histories do not have: a second cell, a test, another project, a campaign that was refused. */
async function besides(world: World, histories: Histories, chunk: number): Promise<void> {
  const dice = histories.chance();
  if (dice < 0.1) {
    await world.campaign({ state: 'rejected', serviceId: histories.pick([SERVICE, OTHER]) });
    return;
  }
  const open = await world.dataSource.query<{ campaign: string }>(
    `select campaign from occurrence where state = 'planned' order by campaign`,
  );
  const foreign = dice < 0.3 || open.length === 0;
  const campaign = foreign ? await world.campaign({ serviceId: OTHER }) : histories.pick(open).campaign;
  const place = histories.pick([
    { occurrence: 'once', cell: 'cell' },
    { occurrence: 'once', cell: 'second' },
    { occurrence: 'test-1', cell: 'test' },
  ]);
  await world.dataSource.query(
    `insert into cell (campaign, occurrence, cell, revision, zone, zone_source, target, chunks)
     values ($1, $2, $3, 1, 'Europe/Paris', 'delivery', '{"type":"ALL"}', 1) on conflict do nothing`,
    [campaign, place.occurrence, place.cell],
  );
  const [of] = await world.dataSource.query<{ service_id: string }>(
    'select service_id from campaign where id = $1',
    [campaign],
  );
  const dueAt = START + Math.floor(histories.chance() * 4) * MINUTE_MS;
  const mode = histories.pick(['immediate', 'scheduled'] as const);
  await world.send({ campaign, mode, dueAt, chunk, columns: { ...place, service_id: of?.service_id } });
}

function waysOf(world: World) {
  const { dataSource } = world;
  const clock = new SteppedClock(LATER);
  const campaigns = new CampaignsController(dataSource, clock, loadZoneRules(), schedulerConfig(world.url));
  const sendList = new SendsController(dataSource);
  const failureList = new FailuresController(dataSource, clock);

  async function retire(): Promise<void> {
    await rollUpAll(dataSource);
    const retention = new Retention(dataSource, clock, KEPT, { marginMs: 0 });
    for (let round = 0; (await retention.runOnce()) > 0; round += 1) expect(round).toBeLessThan(500);
  }

  async function expectAgreement(): Promise<void> {
    await dataSource.query(PLAN);
    await dataSource.query(MADE);
    const listed = await campaignsListed({});
    const asking = await campaignsListed({ attention: 'true' });
    expect(asking).toEqual(listed.filter(({ attention }) => attention !== null));
    const totals: Figures[] = [];
    for (const { id, sends, attention } of listed) {
      const one = await campaigns.one(id, caller);
      expect({ id, sends: one.sends, attention: one.attention }).toEqual({ id, sends, attention });
      expect(await sendsOf({ campaign: id })).toEqual(without(sends, await goneOf(id)));
      totals.push(await expectCells(id, sends));
    }
    const summary = await inSnapshot(dataSource, (sql) => groupedTotals(sql, summaryReport(false), all));
    expect(figuresOfJson(summary)).toEqual(sumOfFigures(totals));
    const ledger = await readLedger(dataSource, all, START);
    expect(figuresOfLedger(ledger)).toEqual(sumOfFigures(totals));
    expect([ledger.planned.balanced, ledger.devices.balanced]).toEqual([true, true]);
    await expectFailures();
  }

  /** The cells of a plan, and the rows of its report. Returns the report's totals. */
  async function expectCells(id: string, sends: Sends): Promise<Figures> {
    const cells = await cellsPlanned(id);
    expect(sumOf(cells.map((cell) => cell.sends))).toEqual(sends);
    const states = ['sent', 'failed', 'stale', 'expired'] as const;
    expect(await cellsPlanned(id, states)).toEqual(
      cells.filter((cell) => states.some((state) => cell.sends[state] !== undefined)),
    );
    const { json, csv } = await shownReport(dataSource, id);
    const counted = cells.filter(({ occurrence }) => !occurrence.startsWith('test-'));
    expect(json.rows.map(({ occurrence, cell, sends: terms }) => ({ occurrence, cell, terms }))).toEqual(
      counted.map(({ occurrence, cell, requests, sends: of }) => ({
        occurrence,
        cell,
        terms: { planned: requests, ...termsOf(of) },
      })),
    );
    expect(csv.map(figuresOfCsv)).toEqual(json.rows.map(figuresOfJson));
    expect(sumOfFigures(json.rows.map(figuresOfJson))).toEqual(figuresOfJson(json.totals));
    expect(json.balanced).toBe(true);
    return figuresOfJson(json.totals);
  }

  async function expectFailures(): Promise<void> {
    const kept = await sendsOf({ state: [...ATTENTION_STATES] });
    for (const groupBy of GROUPINGS) {
      const asked = { state: [...ATTENTION_STATES], groupBy: [...groupBy] };
      const { sends: whole } = await failureList.list({ ...asked, limit: 1 }, caller);
      const groups = await everyPage((cursor) => failureList.list({ ...asked, cursor, limit: 5 }, caller));
      expect(sumOf(groups.map(({ state, sends }) => ({ [state]: sends })))).toEqual(kept);
      expect(whole).toEqual({
        value: Object.values(kept).reduce((sum, sends) => sum + sends, 0),
        atLeast: false,
      });
      for (const { state, sends, filter } of groups)
        expect(await sendsOf(z.object(sendFilterQuery).parse(filter))).toEqual({ [state]: sends });
    }
  }

  function campaignsListed(filter: { readonly attention?: 'true' }) {
    return everyPage((cursor) => campaigns.list({ ...filter, cursor, limit: 4, order: 'newest' }, caller));
  }

  function cellsPlanned(id: string, state?: readonly SendState[]) {
    return everyPage((cursor) =>
      campaigns.plan(id, { state: state && [...state], cursor, limit: 2 }, caller),
    );
  }

  /** The newest sends by state, counted from the list of them. */
  async function sendsOf(filter: z.output<z.ZodObject<typeof sendFilterQuery>>): Promise<Sends> {
    const asked = { ...filter, newest: 'true', order: 'oldest' } as const;
    let counted: unknown;
    const found = await everyPage(async (cursor) => {
      const { count, ...page } = await sendList.list({ ...asked, cursor, limit: 20 }, caller);
      counted = count ?? counted;
      return page;
    });
    expect(counted).toEqual({ value: found.length, atLeast: false });
    return sumOf(found.map(({ state }) => ({ [state]: 1 })));
  }

  async function goneOf(campaign: string): Promise<Sends> {
    const gone = await dataSource.query<{ state: SendState; sends: number }>(
      'select state, sends::int from send_gone where campaign = $1',
      [campaign],
    );
    return sumOf(gone.map(({ state, sends }) => ({ [state]: sends })));
  }

  return { retire, expectAgreement };
}

async function everyPage<Item>(page: (cursor: string | undefined) => Promise<Page<Item>>): Promise<Item[]> {
  const found: Item[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const { items, nextCursor } = await page(cursor);
    found.push(...items);
    cursor = nextCursor;
  }
  return found;
}

function sumOf(many: readonly Sends[]): Sends {
  const sums: Sends = {};
  for (const sends of many)
    for (const [state, number] of Object.entries(sends) as [SendState, number][])
      sums[state] = (sums[state] ?? 0) + number;
  return sums;
}

function without(sends: Sends, gone: Sends): Sends {
  const left = Object.entries(sends).map(
    ([state, number]) => [state, number - (gone[state as SendState] ?? 0)] as const,
  );
  return Object.fromEntries(left.filter(([, number]) => number !== 0));
}

const termsOf = (sends: Sends): Record<string, number> =>
  Object.fromEntries(
    SEND_TERMS.map((term) => [term, statesOfTerm(term).reduce((sum, state) => sum + (sends[state] ?? 0), 0)]),
  );

it.each(Array.from({ length: HISTORIES }, (_, index) => index + 71))(
  'counts the same in every way, before and after the days of the sends have gone: seed %i',
  async (seed) => {
    const world = await World.open();
    try {
      // Days of the events, which are of the machine's clock, and of the ends of the sends.
      await dropDays(world.dataSource);
      for (const at of [Date.now(), START, LATER].toSorted((a, b) => a - b))
        await ensurePartitions(world.dataSource, new Date(at));
      await world.project();
      await world.project({ service_id: OTHER }, []);
      const histories = new Histories(world, seed);
      const ways = waysOf(world);
      for (let step = 1; step <= STEPS; step += 1) {
        await histories.step();
        if (step % 4 === 0) await besides(world, histories, 1_000 + step);
      }
      await ways.expectAgreement();
      await ways.retire();
      expect(await world.dataSource.query('select from send_gone limit 1')).toHaveLength(1);
      await ways.expectAgreement();
      // Their clock is behind the days that went.
      await ensurePartitions(world.dataSource, new Date(START));
      for (let step = 1; step <= STEPS; step += 1) await histories.step();
      await ways.expectAgreement();
    } finally {
      await world.close();
    }
  },
);
