// One history, counted in six ways: summary, campaign reports as JSON and as CSV, views, ledger, and a recount of the rows in
// TypeScript. All of them are the same, over random histories, with rollers at work.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { inSnapshot } from '../../../src/platform/database/snapshot.js';
import { SEND_TERMS } from '../../../src/scheduler/decide/lifecycle/send-state.js';
import { DEVICE_TERMS } from '../../../src/scheduler/report/figures/report-figures.js';
import { readLedger } from '../../../src/scheduler/report/ledger/ledger.store.js';
import { rollUpBehind } from '../../../src/scheduler/outcomes/rollup/roll-up.store.js';
import {
  groupedPage,
  groupedTotals,
} from '../../../src/scheduler/report/over-campaigns/grouped-report.store.js';
import { summaryReport } from '../../../src/scheduler/report/over-campaigns/summary.store.js';
import { testLength } from '../../support/lengths.js';
import {
  figuresOfCsv,
  figuresOfJson,
  figuresOfLedger,
  figuresOfView,
  sumOfFigures,
  type Figures,
} from '../../support/scheduler/report-figures.js';
import { rollerOf, rollUpAll } from '../../support/scheduler/rollers.js';
import { START, World } from '../../support/scheduler/world.js';
import { figuresOf, Histories } from './histories.js';
import { shownReport } from '../../support/scheduler/whole-report.js';

const HISTORIES = testLength('HISTORIES', { normal: 24, long: 200 });
const STEPS = 60;
/** Histories of one test. */
const TOGETHER = 8;

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  await world.project();
});

/** As many requests are planned of a campaign as it has, without those that a later plan replaced. */
const PLAN = `
update cell k set chunks = (select count(*) from send s where s.campaign = k.campaign and s.next_send is null and s.state <> 'superseded')`;

type Row = Readonly<Record<string, unknown>>;
const all = { serviceIds: null };

/** What histories led to. */
const seen = new Set<string>();

async function expectAgreement(histories: Histories): Promise<void> {
  await world.dataSource.query(PLAN);
  const sends = await histories.sends();
  const total = figuresOf(sends);
  for (const name of Object.keys(total)) seen.add(name);
  const [whole, byCampaign] = await inSnapshot(world.dataSource, async (sql) => [
    await groupedTotals(sql, summaryReport(false), all),
    await groupedPage(
      sql,
      summaryReport(false),
      { by: ['campaign'], filter: all, order: 'key' },
      { after: undefined, limit: 10_000 },
    ),
  ]);
  expect(figuresOfJson(whole)).toEqual(total);
  const ledger = await readLedger(world.dataSource, all, START);
  expect(figuresOfLedger(ledger)).toEqual(total);
  expect([ledger.planned.balanced, ledger.devices.balanced]).toEqual([true, true]);

  const view = (name: string): Promise<Row[]> => world.dataSource.query<Row>(`select * from ${name}`);
  const campaigns = await view('report_campaign');
  const cells = await view('report_cell');
  const single = await view('report_send');
  for (const { campaign } of campaigns) {
    const id = String(campaign);
    const expected = figuresOf(sends.filter((send) => send.campaign === id));
    const of = (rows: readonly Row[]): Figures =>
      sumOfFigures(rows.filter((row) => row['campaign'] === id).map(figuresOfView));
    const { json, csv } = await shownReport(world.dataSource, id);
    expect({
      summary: byCampaign.rows
        .filter(({ key }) => key.campaign === id)
        .map(({ figures }) => figuresOfJson(figures)),
      totals: figuresOfJson(json.totals),
      rows: sumOfFigures(json.rows.map(figuresOfJson)),
      balanced: json.balanced,
      csv: sumOfFigures(csv.map(figuresOfCsv)),
      campaign: of(campaigns),
      cells: of(cells),
      sends: sumOfFigures(single.filter((row) => row['campaign'] === id).map(figuresOfSend)),
    }).toEqual({
      summary: Object.keys(expected).length === 0 ? [] : [expected],
      totals: expected,
      rows: expected,
      balanced: true,
      csv: expected,
      campaign: expected,
      cells: expected,
      sends: expected,
    });
  }
}

/** Of a row of report_send. */
function figuresOfSend(row: Row): Figures {
  const devices = figuresOfView(row);
  if (row['counted'] !== true) return devices;
  return { ...devices, planned: 1, [`sends.${String(row['term'])}`]: 1 };
}

it.each(Array.from({ length: Math.ceil(HISTORIES / TOGETHER) }, (_, test) => test * TOGETHER + 41))(
  'counts each of eight random histories alike in every way: from seed %i on',
  async (first) => {
    for (let seed = first; seed < first + TOGETHER; seed += 1) {
      const histories = new Histories(world, seed);
      for (let step = 1; step <= STEPS; step += 1) {
        await histories.step();
        if (histories.chance() < 0.15)
          await rollerOf(world.dataSource, { rows: 1 + Math.floor(histories.chance() * 12) }).runOnce();
        if (step === STEPS / 2) await expectAgreement(histories);
      }
      await rollUpAll(world.dataSource);
      expect(await rollUpBehind(world.dataSource, new Date(START))).toMatchObject({ events: 0 });
      await expectAgreement(histories);
      await world.clear();
      await world.project();
    }
  },
);

it('has led sends into every term', () => {
  expect([...seen].sort()).toEqual(
    [
      'planned',
      ...SEND_TERMS.map((term) => `sends.${term}`),
      ...DEVICE_TERMS.map((term) => `devices.${term}`),
    ].sort(),
  );
});
