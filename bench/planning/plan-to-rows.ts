// One campaign of 1 200 cells, from the event's bytes to planned rows in a durable PostgreSQL, against the very same rows
// (cells and sends) written under another campaign by one statement over unnest.
import { v7 } from 'uuid';
import type { PooledDatabase } from '../../src/platform/database/pooled-database.js';
import type { RawEvent } from '../../src/scheduler/accept/parse/raw-event.js';
import { PlanMaker } from '../../src/scheduler/plan/plan-maker.js';
import { loadZoneRules } from '../../src/zone-rules/load-zone-rules.js';
import type { ZoneRules } from '../../src/zone-rules/zone-rules.js';
import { median, timedAsync, type Finding } from '../measure.js';
import { eventOf, planner, withDatabase } from './pipeline.js';

const CELLS = 1_200;
const ROUNDS = 9;

export function planToRows(): Promise<Finding> {
  return withDatabase(4, ({ dataSource }) => compare(dataSource));
}

async function compare(dataSource: PooledDatabase): Promise<Finding> {
  const rules = loadZoneRules({ directory: process.env['TZDATA_DIR'] });
  const plan = planner(dataSource, rules, new PlanMaker({ rules }));
  const ours: number[] = [];
  const inserts: number[] = [];
  let rows = 0;
  // The first round warms caches and plans on both sides.
  for (let round = -1; round < ROUNDS; round += 1) {
    const event = eventOfCells(`c-${round}`, rules);
    const before = await countRows(dataSource);
    const our = await timedAsync(() => plan(event));
    rows = (await countRows(dataSource)) - before;
    const same = await sameRows(dataSource, `c-${round}`);
    const insert = await timedAsync(() => dataSource.query(INSERT_SAME, same));
    const inserted = (await countRows(dataSource)) - before - rows;
    if (inserted !== rows) throw new Error(`${rows} rows were planned, and ${inserted} inserted`);
    if (round < 0) continue;
    ours.push(our);
    inserts.push(insert);
  }
  if (rows < CELLS * 2) throw new Error(`only ${rows} rows were planned`);
  return {
    name: `a campaign of ${CELLS} cells, event to planned rows, against one unnest insert of the same rows`,
    value: median(inserts) / median(ours),
    unit: '×',
    bound: { kind: 'at least', value: 0.5 },
    detail: `${rows} rows, ours ${Math.round(median(ours))} ms, insert ${Math.round(median(inserts))} ms`,
  };
}

function eventOfCells(campaignId: string, rules: ZoneRules): RawEvent {
  const zones = rules.names();
  const segments = Array.from({ length: CELLS }, (_, index) => ({
    zone: zones[index % zones.length],
    audience: { type: 'CHANNEL', to: [`channel-${index}`] },
  }));
  return eventOf(campaignId, { delivery: { segments } });
}

async function countRows(dataSource: PooledDatabase): Promise<number> {
  const [row] = await dataSource.query<{ count: number }>(
    'select (select count(*) from cell)::int + (select count(*) from send)::int as count',
  );
  return row?.count ?? 0;
}

/** What planning gives a value to, with its type; what begins at a default comes by itself. */
const CELL = {
  campaign: 'uuid',
  occurrence: 'text',
  cell: 'text',
  revision: 'int',
  zone: 'text',
  zone_source: 'text',
  segment: 'int',
  device_type: 'text',
  country: 'text',
  target: 'jsonb',
  local_reading: 'jsonb',
  intended_at: 'timestamptz',
  due_at: 'timestamptz',
  hand_off_at: 'timestamptz',
  mode: 'text',
  mode_rule: 'text',
  verdicts: 'jsonb',
  chunks: 'int',
} as const;
const SEND = {
  id: 'uuid',
  service_id: 'text',
  campaign: 'uuid',
  revision: 'int',
  occurrence: 'text',
  cell: 'text',
  chunk: 'int',
  state: 'text',
  mode: 'text',
  mode_rule: 'text',
  intended_at: 'timestamptz',
  due_at: 'timestamptz',
  next_at: 'timestamptz',
  state_at: 'timestamptz',
  state_by: 'text',
  created_at: 'timestamptz',
} as const;

const namesOf = (columns: Readonly<Record<string, string>>): string => Object.keys(columns).join(', ');
const unnested = (columns: Readonly<Record<string, string>>, first: number): string =>
  `select * from unnest(${Object.values(columns)
    .map((type, index) => `$${first + index}::${type}[]`)
    .join(', ')})`;

const INSERT_SAME = `
  with cells as (insert into cell (${namesOf(CELL)}) ${unnested(CELL, 1)})
  insert into send (${namesOf(SEND)}) ${unnested(SEND, 1 + Object.keys(CELL).length)}`;

/** The rows of a planned campaign under new ids, as columns. Read before the clock runs: only the insert is measured. */
async function sameRows(dataSource: PooledDatabase, campaignId: string): Promise<unknown[]> {
  const campaign = v7();
  const read = (
    columns: Readonly<Record<string, string>>,
    table: string,
  ): Promise<Record<string, unknown>[]> => {
    const texts = Object.entries(columns).map(([name, type]) =>
      type === 'jsonb' ? `r.${name}::text as ${name}` : `r.${name}`,
    );
    return dataSource.query(
      `select ${texts.join(', ')} from ${table} r join campaign c on c.id = r.campaign where c.campaign_id = $1`,
      [campaignId],
    );
  };
  const [cells, sends] = [await read(CELL, 'cell'), await read(SEND, 'send')];
  const valueOf = (row: Record<string, unknown>, name: string): unknown =>
    name === 'campaign' ? campaign : name === 'id' ? v7() : row[name];
  return [
    ...Object.keys(CELL).map((name) => cells.map((row) => valueOf(row, name))),
    ...Object.keys(SEND).map((name) => sends.map((row) => valueOf(row, name))),
  ];
}
