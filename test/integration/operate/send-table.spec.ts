// The database's list of arrows against decide/lifecycle/send-state.ts, and the whole matrix of states × observations.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  allArrows,
  BIRTH_STATES,
  ENDED_STATES,
  nextState,
  OBSERVATIONS,
  SEND_GOALS,
  SEND_STATES,
} from '../../../src/scheduler/decide/lifecycle/send-state.js';
import { World } from '../../support/scheduler/world.js';

let world: World;
beforeAll(async () => {
  world = await World.open();
  await world.project();
});
afterAll(() => world.close());

const text = ([from, to]: readonly [string, string]): string => `${from} > ${to}`;

describe('the arrows of a send', () => {
  it('are the same in the database and in decide/lifecycle/send-state.ts', async () => {
    const rows = await world.dataSource.query<{ from_state: string; to_state: string }>(
      'select * from send_transition',
    );
    expect(rows.map((row) => text([row.from_state, row.to_state])).sort()).toEqual(
      allArrows().map(text).sort(),
    );
  });

  it('are refused by the database wherever the table has none, and taken wherever it has one', async () => {
    const allowed = new Set(allArrows().map(text));
    const campaign = await world.campaign();
    const wrong: string[] = [];
    for (const [index, from] of SEND_STATES.entries()) {
      for (const [other, to] of SEND_STATES.entries()) {
        if (from === to) continue;
        const send = await world.send({ campaign, state: from, chunk: index * 100 + other });
        // One that ends superseded is counted down in its cell.
        await world.dataSource.query('update cell set chunks = 1');
        const moved = await world.dataSource
          .query('update send set state = $2, changes = changes + 1 where id = $1', [send, to])
          .then(() => true)
          .catch(() => false);
        if (moved !== allowed.has(text([from, to]))) wrong.push(text([from, to]));
      }
    }
    expect(wrong).toEqual([]);
  });

  it('are refused without their change number', async () => {
    const send = await world.send();
    await expect(
      world.dataSource.query(`update send set state = 'canceled' where id = $1`, [send]),
    ).rejects.toThrow(/may not go from planned to canceled/);
  });

  it('lead out of every state but the final ones, and into every state but those of birth alone', () => {
    const arrows = allArrows();
    for (const state of SEND_STATES) {
      const leads = arrows.some(([from]) => from === state);
      expect(`${state} ${leads}`).toBe(`${state} ${!(ENDED_STATES as readonly string[]).includes(state)}`);
      const reached =
        arrows.some(([, to]) => to === state) || (BIRTH_STATES as readonly string[]).includes(state);
      expect(`${state} ${reached}`).toBe(`${state} true`);
    }
  });
});

describe('states × observations', () => {
  const matrix = SEND_STATES.flatMap((state) =>
    OBSERVATIONS.map((observation) => {
      const to = SEND_GOALS.map((goal) => nextState(state, observation, goal) ?? '·');
      return new Set(to).size === 1
        ? `${state} × ${observation}: ${to[0]}`
        : `${state} × ${observation}: ${to.join(' ')}`;
    }),
  ).filter((line) => !line.endsWith(': ·'));

  it('has these arrows and no others (goals: held, superseded, canceled)', () => {
    expect(matrix).toMatchInlineSnapshot(`
      [
        "planned × fired: sending",
        "planned × taken-back: held superseded canceled",
        "planned × expired: expired",
        "planned × skipped: skipped",
        "sending × taken-back: held superseded canceled",
        "sending × answered-success: accepted",
        "sending × answered-reserved: reserved",
        "sending × answered-scheduled: scheduled",
        "sending × refused: rejected",
        "sending × not-sent: planned",
        "sending × fate-unknown: uncertain",
        "accepted × result-sent: sent",
        "accepted × result-failed: failed",
        "accepted × result-empty: empty",
        "accepted × window-over: uncertain",
        "reserved × window-over: uncertain",
        "reserved × reservation-done: accepted",
        "reserved × reservation-fail: failed",
        "reserved × reservation-stale: stale",
        "reserved × reservation-canceled: canceled",
        "reserved × cancel-asked: canceling",
        "scheduled × result-sent: sent",
        "scheduled × result-failed: failed",
        "scheduled × result-empty: empty",
        "scheduled × cancel-asked: canceling",
        "scheduled × schedule-ended: canceled",
        "canceling × cancel-confirmed: held superseded canceled",
        "canceling × cancel-too-late-reserved: reserved",
        "canceling × cancel-too-late-scheduled: scheduled",
        "held × taken-back: · superseded canceled",
        "held × expired: expired",
        "held × released: planned",
        "uncertain × answered-success: accepted",
        "uncertain × answered-reserved: reserved",
        "uncertain × answered-scheduled: scheduled",
        "uncertain × result-sent: sent",
        "uncertain × result-failed: failed",
        "uncertain × result-empty: empty",
        "uncertain × proved-not-sent: planned",
        "uncertain × proved-too-late: failed",
        "uncertain × confirmed-sent: sent",
        "uncertain × confirmed-not-sent: failed",
      ]
    `);
  });

  it('asks for a goal where an arrow leads to one', () => {
    expect(nextState('planned', 'taken-back')).toBeUndefined();
    expect(nextState('held', 'taken-back', 'held')).toBeUndefined();
  });
});
