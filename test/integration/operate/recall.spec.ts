// The recall of a stopped project on a real database: every state that a send can stand in, beside pauses, and beside a start that
// comes at the same instant.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import { startProjects, stopProjects } from '../../../src/scheduler/admin/projects/project-write.store.js';
import { stopCounts } from '../../../src/scheduler/admin/projects/stop-counts.store.js';
import { SEND_STATES, type SendState } from '../../../src/scheduler/decide/lifecycle/send-state.js';
import { RecallStopped } from '../../../src/scheduler/operate/changes/recall-stopped.js';
import { WorkActs } from '../../../src/scheduler/operate/changes/work-acts.js';
import { actsOn, askAct } from '../../../src/scheduler/store/send/act.store.js';
import { fireSends } from '../../../src/scheduler/store/send/fire.store.js';
import { untilLockAwaited } from '../../support/postgres/lock-waiters.js';
import { OwnConnection } from '../../support/postgres/own-connection.js';
import { SERVICE, START, World } from '../../support/scheduler/world.js';

const AT = START + 1_000;
const now = new Date(AT);
const clock = new SteppedClock(AT);

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  await world.project();
});

const stop = (recall = true) =>
  world.dataSource.transaction((sql) =>
    stopProjects(sql, { serviceIds: [SERVICE], now, who: 'ops', reason: 'why', recall }),
  );
const start = () =>
  world.dataSource.transaction((sql) => startProjects(sql, { serviceIds: [SERVICE], now, who: 'ops' }));
const marks = () => new RecallStopped(world.dataSource, clock).runOnce();
const pages = async (): Promise<void> => {
  const acts = new WorkActs({ database: world.dataSource, clock });
  while ((await acts.runOnce()) > 0);
};
const act = async (campaign: string, which: 'pause' | 'resume' | 'cancel') => {
  await world.dataSource.transaction((sql) =>
    askAct(sql, { act: which, campaign, now, by: 'ops', code: 'SPEC' }),
  );
  await pages();
};
const standing = async (campaign: string): Promise<string[]> =>
  (await actsOn(world.dataSource, campaign, 10)).map(
    ({ act: which, isDone }) => `${which} ${isDone ? 'done' : 'under way'}`,
  );
const rows = (text: string) => world.dataSource.query(text);
/** Moves a send as a loop does after an answer, by an arrow that the database checks. */
const moves = (send: string, state: SendState) =>
  world.dataSource.query('update send set state = $2, changes = changes + 1, state_at = $3 where id = $1', [
    send,
    state,
    now,
  ]);

describe('a stop', () => {
  it('without a recall marks nothing, and what is planned stays planned', async () => {
    const campaign = await world.campaign({ state: 'running' });
    const [planned] = [
      await world.send({ campaign }),
      await world.send({ campaign, chunk: 1, state: 'reserved' }),
    ];
    await stop(false);
    expect(await marks()).toBe(0);
    expect(await world.read(planned)).toMatchObject({ state: 'planned' });
    expect(await standing(campaign)).toEqual([]);
  });

  it.each(SEND_STATES)('with a recall, of a send that is %s beside one that is reserved', async (state) => {
    const campaign = await world.campaign({ state: 'running' });
    const reserved = await world.send({ campaign, state: 'reserved' });
    const send = await world.send({
      campaign,
      state,
      chunk: 1,
      mode: state === 'scheduled' ? 'scheduled' : 'immediate',
    });
    await stop();
    expect([await marks(), await marks()]).toEqual([1, 0]);
    await pages();
    expect(await world.read(reserved)).toMatchObject({ state: 'canceling', goal: 'held', detail: 'why' });
    const leads: Partial<Record<SendState, readonly [string, string | null]>> = {
      planned: ['held', null],
      reserved: ['canceling', 'held'],
      scheduled: ['canceling', 'held'],
      sending: ['sending', 'held'],
      canceling: ['canceling', 'held'],
      uncertain: ['uncertain', 'held'],
    };
    const [to, goal] = leads[state] ?? [state, null];
    expect(await world.read(send)).toMatchObject({ state: to, goal });
    expect(await standing(campaign)).toEqual(['recall done']);
  });

  it('counts what it holds and what it does not', async () => {
    const [one, paused] = [
      await world.campaign({ state: 'running' }),
      await world.campaign({ state: 'running' }),
    ];
    let chunk = 0;
    for (const [state, dueAt] of [
      ['planned', START],
      ['reserved', START + 9_000],
      ['reserved', START + 5_000],
      ['scheduled', START],
      ['sending', START],
      ['canceling', START],
      ['uncertain', START],
      ['accepted', START],
      ['sent', START],
    ] as const)
      await world.send({
        campaign: one,
        chunk: (chunk += 1),
        state,
        dueAt,
        mode: state === 'scheduled' ? 'scheduled' : 'immediate',
      });
    await world.send({ campaign: paused });
    await act(paused, 'pause');
    expect((await stopCounts(world.dataSource, [SERVICE])).get(SERVICE)).toEqual({
      held: 2,
      atPushService: { reservations: 2, next: new Date(START + 5_000), standing: 1, inFlight: 3 },
    });
  });

  it('with a recall finds a reservation whose answer came after it', async () => {
    const campaign = await world.campaign({ state: 'running' });
    const send = await world.send({ campaign });
    const order = { id: send, revision: 1, attempts: 0, mode: 'reserved', modeRule: 'DUE_NOW' } as const;
    await fireSends(world.dataSource, [{ ...order, dueAt: START, at: AT }], {
      now: AT,
      by: 'dispatch',
      replica: send,
    });
    await stop();
    expect(await marks()).toBe(0);
    await moves(send, 'reserved');
    expect(await marks()).toBe(1);
    await pages();
    expect(await world.read(send)).toMatchObject({ state: 'canceling', goal: 'held' });
  });
});

describe('a start', () => {
  const recalled = async () => {
    const campaign = await world.campaign({ state: 'running' });
    const send = await world.send({ campaign, state: 'reserved', columns: { request_id: 'r-1' } });
    await stop();
    await marks();
    await pages();
    return { campaign, send };
  };

  it('plans again what was given back, and twice changes nothing more', async () => {
    const { campaign, send } = await recalled();
    await moves(send, 'held');
    await Promise.all([start(), start()]);
    await pages();
    expect(await world.read(send)).toMatchObject({ state: 'planned', goal: null, request_id: null });
    expect(await standing(campaign)).toEqual([]);
    await start();
    await pages();
    expect(await world.read(send)).toMatchObject({ state: 'planned' });
    expect(await marks()).toBe(0);
  });

  it('waits for what the push service was asked for, also through another stop', async () => {
    const { campaign, send } = await recalled();
    await start();
    await pages();
    expect(await standing(campaign)).toEqual(['start under way']);
    await stop();
    expect(await marks()).toBe(0);
    await moves(send, 'held');
    await rows("update campaign_act set page_at = page_at - interval '1 hour'");
    await pages();
    expect(await world.read(send)).toMatchObject({ state: 'planned' });
    const order = {
      id: send,
      revision: 1,
      attempts: 0,
      mode: 'immediate',
      modeRule: 'DUE_NOW',
      dueAt: START,
    } as const;
    expect(
      await fireSends(world.dataSource, [{ ...order, at: AT }], { now: AT, by: 'dispatch', replica: send }),
    ).toEqual([]);
  });

  it.each(['pause first', 'stop first'])('releases nothing that a pause holds as well: %s', async (order) => {
    const campaign = await world.campaign({ state: 'running' });
    const send = await world.send({ campaign, state: 'reserved' });
    if (order === 'pause first') await act(campaign, 'pause');
    // One that the pause leaves to the recall: its project is marked by another reservation.
    await world.send({ campaign, state: 'reserved', chunk: 1 });
    await stop();
    await marks();
    await pages();
    if (order === 'stop first') await act(campaign, 'pause');
    await moves(send, 'held');
    await start();
    await pages();
    expect(await world.read(send)).toMatchObject({ state: 'held' });
    await stop();
    await act(campaign, 'resume');
    expect((await world.read(send)).state).toBe('planned');
  });

  it('and a resume at once release what both hold', async () => {
    const { campaign, send } = await recalled();
    await act(campaign, 'pause');
    await moves(send, 'held');
    await Promise.all([start(), act(campaign, 'resume')]);
    await pages();
    expect(await world.read(send)).toMatchObject({ state: 'planned' });
  });

  it('comes after a mark that is being made, and releases it', async () => {
    const campaign = await world.campaign({ state: 'running' });
    const send = await world.send({ campaign, state: 'reserved' });
    await stop();
    const beside = await OwnConnection.beside(world.dataSource);
    try {
      await beside.query('begin');
      await beside.query('select from campaign where id = $1 for update', [campaign]);
      const marking = marks();
      await untilLockAwaited(rows);
      const starting = start();
      await untilLockAwaited(rows, { atLeast: 2 });
      await beside.query('commit');
      expect(await marking).toBe(1);
      await starting;
    } finally {
      await beside.release();
    }
    await pages();
    expect(await world.read(send)).toMatchObject({ state: 'reserved', goal: null });
    expect(await standing(campaign)).toEqual([]);
  });

  it('leaves what was cancelled under the stop cancelled', async () => {
    const { campaign, send } = await recalled();
    await moves(send, 'held');
    await act(campaign, 'cancel');
    await start();
    await pages();
    expect(await world.read(send)).toMatchObject({ state: 'canceled' });
  });
});
