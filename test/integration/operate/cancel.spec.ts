// askCancel on a real database: every state a send can stand in when the cancel arrives.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  nextState,
  SEND_STATES,
  type SendState,
} from '../../../src/scheduler/decide/lifecycle/send-state.js';
import { askCancel } from '../../../src/scheduler/store/send/cancel.store.js';
import { TakeBack } from '../../../src/scheduler/operate/take-back.js';
import { SteppedClock } from '../../../src/platform/clock.js';
import { START, World } from '../../support/scheduler/world.js';

let world: World;
beforeAll(async () => {
  world = await World.open();
  await world.project();
});
afterAll(() => world.close());

const ask = async (campaign: string) => {
  const verdict = await world.dataSource.transaction((sql) =>
    askCancel(sql, { campaign, now: new Date(START + 1_000), by: 'ops', code: 'CANCELED_BY_OPERATOR' }),
  );
  const takeBack = new TakeBack(world.dataSource, new SteppedClock(START + 1_000));
  while ((await takeBack.runOnce()) > 0);
  return verdict;
};

/** What the table says of a cancel, by the observation that fits what the push service may hold. */
function expected(state: SendState): SendState {
  return (
    nextState(state, 'cancel-asked') ??
    (state === 'sending' ? state : (nextState(state, 'taken-back', 'canceled') ?? state))
  );
}

describe('askCancel', () => {
  it.each(SEND_STATES)('moves a send that is %s as the table says', async (state) => {
    const campaign = await world.campaign({ state: 'running' });
    const send = await world.send({
      campaign,
      state,
      mode: state === 'scheduled' ? 'scheduled' : 'immediate',
    });
    expect(await ask(campaign)).toEqual({ kind: 'asked' });
    const row = await world.read(send);
    expect(row.state).toBe(expected(state));
    const moved = row.state !== state;
    expect(row.changes).toBe(moved ? 2 : 1);
    expect(await world.path(send)).toEqual(moved ? [`${state}>${row.state}`] : []);
    expect(row.goal).toBe(
      ['sending', 'canceling', 'uncertain', 'reserved', 'scheduled'].includes(state) ? 'canceled' : null,
    );
    const asked = row.state === 'canceling' ? new Date(START + 1_000) : null;
    expect(row.next_at).toEqual(moved ? asked : new Date(START));
  });

  it.each(['accepted', 'planning', 'awaiting-approval', 'planned', 'running'])(
    'closes in a campaign that is %s',
    async (state) => {
      const campaign = await world.campaign({ state });
      expect(await ask(campaign)).toEqual({ kind: 'asked' });
      const [row] = await world.dataSource.query('select state, code, state_by from campaign where id = $1', [
        campaign,
      ]);
      expect(row).toEqual({ state: 'canceling', code: 'CANCELED_BY_OPERATOR', state_by: 'ops' });
      expect(await ask(campaign)).toEqual({ kind: 'already' });
    },
  );

  it.each(['completed', 'expired', 'canceled', 'rejected'])('leaves a campaign that is %s', async (state) => {
    const campaign = await world.campaign({ state });
    const send = await world.send({ campaign, state: 'accepted' });
    expect(await ask(campaign)).toEqual({ kind: 'closed' });
    expect((await world.read(send)).state).toBe('accepted');
  });

  it('raises a goal of held, and keeps it when nothing stands above canceled', async () => {
    const campaign = await world.campaign({ state: 'running' });
    const send = await world.send({ campaign, state: 'canceling', columns: { goal: 'held' } });
    await ask(campaign);
    expect(await world.read(send)).toMatchObject({ state: 'canceling', goal: 'canceled', changes: 1 });
  });

  it('does not know a campaign that is not there', async () => {
    expect(await ask('00000000-0000-7000-8000-00000000dead')).toEqual({ kind: 'closed' });
  });
});

describe('a page of a cancel that fails every time', () => {
  it('holds up no other cancel, and is done once it can be', async () => {
    const [bad, ...others] = await Promise.all(
      ['a', 'b', 'c'].map(async () => {
        const campaign = await world.campaign({ state: 'running' });
        return { campaign, send: await world.send({ campaign }) };
      }),
    );
    await world.dataSource.query(`
      create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
      create trigger refuse before update on send for each row when (new.campaign = '${bad?.campaign}') execute function refuse()`);
    const takeBack = new TakeBack(world.dataSource, new SteppedClock(START));
    const states = () =>
      Promise.all([bad, ...others].map(async (one) => (await world.read(one?.send ?? '')).state));
    try {
      for (const { campaign = '' } of [bad ?? {}, ...others])
        await world.dataSource.transaction((sql) =>
          askCancel(sql, { campaign, now: new Date(START), by: 'ops', code: 'CANCELED' }),
        );
      await expect(takeBack.runOnce()).rejects.toThrow('refused');
      // Two pages of each of the others: the second finds nothing more.
      for (let page = 0; page < 2; page += 1) expect(await takeBack.runOnce()).toBe(1);
      expect(await states()).toEqual(['planned', 'canceled', 'canceled']);
      await expect(takeBack.runOnce()).rejects.toThrow('refused');
    } finally {
      await world.dataSource.query('drop trigger refuse on send; drop function refuse()');
    }
    while ((await takeBack.runOnce()) > 0);
    expect(await states()).toEqual(['canceled', 'canceled', 'canceled']);
  });
});
