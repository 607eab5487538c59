// The plans of frequent statements, whatever PostgreSQL knows about the tables: while they are empty, never analysed, analysed, and in a
// connection that cached its plans while they were empty.
import { v7 } from 'uuid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../../../src/platform/database/database.js';
import { readOutcomes } from '../../../../src/scheduler/outcomes/publish/outcome.store.js';
import { rollUpPage } from '../../../../src/scheduler/outcomes/rollup/roll-up.store.js';
import { recordAnswers } from '../../../../src/scheduler/store/send/answer.store.js';
import { sumNewestSends, touchedShards } from '../../../../src/scheduler/store/send/close.store.js';
import { fireSends } from '../../../../src/scheduler/store/send/fire.store.js';
import { nextPollAt, recordPolls } from '../../../../src/scheduler/store/send/poll.store.js';
import { workDue } from '../../../../src/scheduler/work-due.store.js';
import { WHOLE } from '../../../../src/scheduler/decide/lifecycle/replica-slice.js';
import { explaining, type Explaining } from '../../../support/postgres/explaining.js';
import { answerOf, orderOf, pollOf } from '../../../support/scheduler/send-rows.js';
import { START, World } from '../../../support/scheduler/world.js';
import { READS } from './due-reads.js';

/** How many sends there are of each state that a loop reads, and of ended ones. */
const SENDS = 10_000;
/** Calls after which a connection caches a statement's plan. */
const SETTLED = 7;
const LOOPS = [
  'plan',
  'lookup',
  'dispatch',
  'dispatch-repeat',
  'dispatch-recover',
  'follow',
  'cancel',
  'close',
];

let world: World;
beforeAll(async () => {
  world = await World.open();
  await world.project();
  for (const table of ['send_open', 'send_event_specs', 'send_specs'])
    await world.dataSource.query(`alter table ${table} set (autovacuum_enabled = off)`);
});
afterAll(() => world.close());

/** Rows of a batch that is written; the first have no send. */
let ids = Array.from({ length: 200 }, () => v7());

const log = { shards: [...Array(16).keys()], rowsOfShard: 100, rows: 500, ranges: 1_000 };
const STATEMENTS: readonly { readonly name: string; readonly run: (sql: Sql) => Promise<unknown> }[] = [
  ...READS.map(({ name, read }) => ({ name: `a read ${name}`, run: read })),
  { name: 'next poll', run: (sql) => nextPollAt(sql, { now: START, slice: WHOLE, work: 'p' }) },
  { name: 'work due', run: (sql) => workDue(sql, { now: START, upTo: START, loops: LOOPS }) },
  { name: 'touches', run: (sql) => touchedShards(sql, '0') },
  { name: 'outcomes to publish', run: (sql) => readOutcomes(sql, { ...log, bytes: 1_000_000 }) },
  { name: 'a page of the roll-up', run: (sql) => rollUpPage(sql, log, 100) },
  {
    name: 'a page of an occurrence’s newest sends',
    run: (sql) => sumNewestSends(sql, [{ campaign: v7(), occurrence: 'once', cell: null, chunk: null }], 500),
  },
  {
    name: 'fire',
    run: (sql) =>
      fireSends(
        sql,
        ids.map((id) => orderOf(id)),
        { now: START, by: 'spec', replica: v7() },
      ),
  },
  {
    name: 'record answers',
    run: (sql) =>
      recordAnswers(
        sql,
        ids.map((id) => answerOf(id)),
        'spec',
        START,
      ),
  },
  {
    name: 'record polls',
    run: (sql) =>
      recordPolls(
        sql,
        ids.map((id) => pollOf(id, { changes: 3 })),
        'spec',
      ),
  },
];

/** Scans of tables that grow with sends and outcomes, each with the next line. */
const SCANS =
  /Scan (?:Backward )?(?:using \w+ )?on (?:send|send_recipients|send_note|attempt|send_event|cell|campaign)(?:_(?:open|old|specs|\d\w*))?\b.*\n.*/g;
/** A scan that is a probe of an index, or reads no rows. */
const IS_PROBE = /\n\s*(Index Cond|TID Cond|Recheck Cond): (?!\((\w+\.)?(send_)?ended_at [=<>]+ [^)]*\)$)/;

const wholeIn = (plan: string): string[] => (plan.match(SCANS) ?? []).filter((scan) => !IS_PROBE.test(scan));

/** By statement, the tables that it reads whole. */
async function readWhole(connection: Explaining): Promise<unknown> {
  const whole: Record<string, string[]> = {};
  for (const { name, run } of STATEMENTS) {
    const plans = await connection.plansOf(async (sql) => {
      await sql.query('begin');
      await run(sql);
      await sql.query('rollback');
    });
    expect(plans, name).not.toEqual([]);
    const found = plans.flatMap(wholeIn);
    if (found.length > 0) whole[name] = [...new Set(found)];
  }
  return whole;
}

it('reads no table of sends or outcomes whole: empty, never analysed, analysed, and by plans kept from before', async () => {
  const keeping = await explaining(world.dataSource);
  try {
    for (let call = 0; call < SETTLED; call += 1) expect(await readWhole(keeping)).toEqual({});
    // Statistics of an empty table, as after a night.
    const gone = await world.send({ state: 'sending', columns: { attempts: 2 } });
    await world.copies(gone, 99);
    await world.dataSource.query(
      `insert into attempt (send, attempt, kind, started_at) select id, 1, 'send', state_at from send_open`,
    );
    await world.dataSource.query(
      `insert into send_note (send, sequence, to_state, at, by) select id, 1, 'planned', state_at, 'spec' from send_open`,
    );
    for (const table of ['send', 'send_recipients', 'send_note', 'attempt', 'send_event'])
      await world.dataSource.query(`delete from ${table}`);
    await world.dataSource.query('vacuum analyze');
    const analysedEmpty = await explaining(world.dataSource);
    for (let call = 0; call < SETTLED; call += 1) expect(await readWhole(analysedEmpty)).toEqual({});
    const campaign = await world.campaign();
    const states = ['planned', 'accepted', 'canceling', 'uncertain', 'sending', 'sent'] as const;
    for (const state of states) {
      const columns = { cell: `of ${state}`, next_at: state === 'sent' ? null : new Date(START - 10_000) };
      const first = await world.send({ campaign, state, columns });
      await world.copies(first, SENDS - 1);
    }
    const rows = await world.dataSource.query<{ id: string }>(
      `select id from send_open where state = 'planned' order by id limit 200`,
    );
    ids = rows.map(({ id }) => id);
    await world.dataSource.query(
      `insert into send_event (position, at, send, sequence, shard, to_state)
       select event_position(0::smallint), s.state_at, s.id, 4, 0, 'sent' from send s where s.state = 'sent'`,
    );
    const fresh = await explaining(world.dataSource);
    try {
      for (const connection of [keeping, analysedEmpty, fresh])
        expect(await readWhole(connection)).toEqual({});
      await analysedEmpty.release();
      await world.dataSource.query('analyze');
      expect(await readWhole(fresh)).toEqual({});
      expect(await readWhole(keeping)).toEqual({});
    } finally {
      await fresh.release();
    }
    const analysed = await explaining(world.dataSource);
    try {
      for (let call = 0; call < SETTLED; call += 1) expect(await readWhole(analysed)).toEqual({});
    } finally {
      await analysed.release();
    }
  } finally {
    await keeping.release();
  }
});
