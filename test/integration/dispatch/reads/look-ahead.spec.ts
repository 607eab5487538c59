// What a replica reads ahead: its slice, late sends of other slices, and nothing that it already holds. And that a send is put back only
// as it was read.
import { v7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { WHOLE } from '../../../../src/scheduler/decide/lifecycle/replica-slice.js';
import { neverCalledRow } from '../../../../src/scheduler/dispatch/answer-row.js';
import { recordAnswers } from '../../../../src/scheduler/store/send/answer.store.js';
import { fireSends } from '../../../../src/scheduler/store/send/fire.store.js';
import { readPlanned } from '../../../../src/scheduler/store/send/read-work.store.js';
import { putBackPlanned, type PutBackRow } from '../../../../src/scheduler/store/send/put-back.store.js';
import { untilLockAwaited } from '../../../support/postgres/lock-waiters.js';
import { OwnConnection } from '../../../support/postgres/own-connection.js';
import { roundOf } from '../../../support/scheduler/read-ask.js';
import { START, World } from '../../../support/scheduler/world.js';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  await world.project();
});

const look = async (more: Parameters<typeof roundOf>[0] = {}): Promise<string[]> => {
  const found = await readPlanned(world.dataSource, roundOf({ room: 100, ...more }));
  return found.map(({ id }) => id);
};
const halves = [0, 1].map((index) => ({ index, of: 2 }));

it('each replica reads its slice of the due sends; all slices together have all', async () => {
  await world.copies(await world.send(), 59);
  const [one = [], other = []] = await Promise.all(halves.map((slice) => look({ slice })));
  expect(one.length).toBeGreaterThan(10);
  expect(other.length).toBeGreaterThan(10);
  expect(new Set([...one, ...other]).size).toBe(60);
  expect(one.length + other.length).toBe(60);
});

it('reads only late sends from another slice, and only as many as its own leave room for', async () => {
  await world.copies(await world.send({ dueAt: START - 1_000 }), 59);
  const [slice = WHOLE] = halves;
  const own = await look({ slice, now: START - 1_000 });
  expect(own.length).toBeLessThan(50);
  expect(new Set(await look({ slice })).size).toBe(60);
  // It looks at twice the room, in order, and takes its own sends first.
  const seen = (await look()).slice(0, 40);
  const wanted = [...seen.filter((id) => own.includes(id)), ...seen.filter((id) => !own.includes(id))];
  expect(await look({ slice, room: 20 })).toEqual(wanted.slice(0, 20));
});

it('reads no send that it holds, and hashes the held ids once', async () => {
  await world.copies(await world.send(), 29);
  await world.copies(await world.send({ dueAt: START - 60_000 }), 29);
  const first = await look({ room: 20 });
  const plans = await world.plansOf(async (sql) => {
    const rest = await readPlanned(sql, roundOf({ room: 100, held: first }));
    expect(rest).toHaveLength(60 - first.length);
    expect(rest.filter(({ id }) => first.includes(id))).toEqual([]);
  });
  const plan = plans.find((text) => text.includes('Query Text: with room as materialized')) ?? 'none';
  expect(plan).toMatch(/NOT \(ANY \(id = \(hashed SubPlan|NOT \(hashed SubPlan/);
  expect(plan).toMatch(/Index Scan using send_work on send_open/);
  expect(plan).toMatch(/Index Cond: .*service_id.*next_at/);
  expect(plan).not.toMatch(/Seq Scan on send/);
});

/** The row to put back a send that was not fired yet. */
const putBackOf = (id: string): PutBackRow => ({
  id,
  attempts: 0,
  changes: 1,
  state: 'planned',
  code: 'QUIET_HOURS',
  detail: null,
  handOffAt: START + 5_000,
  mode: 'reserved',
  modeRule: null,
  dueAt: START + 9_000,
});

it('a send is put back as it was read, or not at all', async () => {
  const id = await world.send();
  const putBack = (more: Partial<PutBackRow>, at = START) =>
    putBackPlanned(world.dataSource, [{ ...putBackOf(id), ...more }], at, 'spec');
  expect(await putBack({ attempts: 1 })).toBe(0);
  expect(await putBack({ changes: 2 })).toBe(0);
  expect(await putBack({}, START + 1)).toBe(1);
  expect(await putBack({ mode: null }, START + 2)).toBe(1);
  // The state does not change: the change number stays, and the reason keeps its first instant.
  expect(await world.read(id)).toMatchObject({
    state: 'planned',
    changes: 1,
    code: 'QUIET_HOURS',
    mode: 'reserved',
    state_at: new Date(START + 1),
    next_at: new Date(START + 5_000),
    due_at: new Date(START + 9_000),
  });
  expect(await putBack({ state: 'expired', code: 'LATE' }, START + 3)).toBe(1);
  expect(await world.read(id)).toMatchObject({ state: 'expired', changes: 2, next_at: null });
  expect(await world.path(id)).toEqual(['planned>expired']);
  expect(await world.dataSource.query('select from send_attempt')).toEqual([]);
});

it('a send is not put back if it was fired and planned again while the statement waited for its row', async () => {
  const id = await world.send();
  const order = {
    id,
    revision: 1,
    attempts: 0,
    mode: 'immediate',
    modeRule: 'DUE_NOW',
    dueAt: START,
    at: START,
  } as const;
  const open = await OwnConnection.beside(world.dataSource);
  await open.query('begin');
  expect(await fireSends(open, [order], { now: START, by: 'spec', replica: v7() })).toHaveLength(1);
  const why = { code: 'CLOCK_SET_BACK', detail: 'spec' };
  expect(await recordAnswers(open, [neverCalledRow(id, 1, START, why)], 'spec', START)).toBe(1);
  const moved = putBackPlanned(world.dataSource, [putBackOf(id)], START, 'spec');
  await untilLockAwaited((sql) => world.dataSource.query(sql));
  await open.query('commit');
  await open.release();
  expect(await moved).toBe(0);
  expect(await world.read(id)).toMatchObject({ state: 'planned', attempts: 1, code: 'CLOCK_SET_BACK' });
});
