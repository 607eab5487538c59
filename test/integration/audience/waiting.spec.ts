// A campaign that waits for look-ups which nobody makes: how long it waits, and what ends the waiting.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeOffsets } from '../../../src/scheduler/store/registered-offset.store.js';
import {
  campaignLookedUpFor,
  claimLookup,
  closeLookups,
  finishLookup,
} from '../../../src/scheduler/store/audience-lookup.store.js';
import { waitingFor } from '../../../src/scheduler/report/lists/waiting-for.js';
import { lockToPlan } from '../../../src/scheduler/plan/plan.store.js';
import { askAct } from '../../../src/scheduler/store/send/act.store.js';
import { untilLockAwaited } from '../../support/postgres/lock-waiters.js';
import { PlanWorld, SERVICE, START, users } from '../../support/scheduler/plan-world.js';

const MINUTE = 60_000;

let world: PlanWorld;
beforeAll(async () => {
  world = await PlanWorld.open();
});
afterAll(async () => world.close());
beforeEach(() => world.clock.set(START));

/** Due at 10:00 in Seoul, the project's default zone: an hour from the start. */
async function accepted(prefix: string): Promise<string> {
  return world.accepted({
    audience: users(3, prefix),
    delivery: { kind: 'recipient', local: '2027-03-01T10:00' },
  });
}

async function stateAfterRound(id: string): Promise<string> {
  await world.planDue.runOnce();
  return (await world.campaign(id)).state;
}

describe('a campaign with ids to look up', () => {
  it('waits until ten minutes before the first due, then is planned with what is known', async () => {
    const id = await accepted('late');
    expect(await stateAfterRound(id)).toBe('planning');
    world.clock.advance(49 * MINUTE);
    expect(await stateAfterRound(id)).toBe('planning');
    world.clock.advance(MINUTE);
    expect(await stateAfterRound(id)).toBe('planned');
    expect((await world.sends(id)).map((send) => send.cell)).toEqual(['Asia/Seoul|fallback|0|all|all']);
    expect(await world.count('audience_lookup')).toBe(0);
  });

  it('does not wait at all once that is over', async () => {
    world.clock.advance(50 * MINUTE);
    expect(await stateAfterRound(await accepted('too-late'))).toBe('planned');
  });

  it('is planned at once when its look-up has ended, by what was written before a crash as well', async () => {
    const id = await accepted('crash');
    expect(await stateAfterRound(id)).toBe('planning');
    const found = await claimLookup(world.dataSource, START);
    expect(found?.campaign).toBe(id);
    // Another process finds it leased.
    expect(await claimLookup(world.dataSource, START)).toBeUndefined();
    const offsets = [
      { userId: 'crash-0', isUser: true, offsetSeconds: 32_400 },
      { userId: 'crash-1', isUser: false, offsetSeconds: null },
    ];
    await writeOffsets(world.dataSource, SERVICE, offsets, START);
    expect(await stateAfterRound(id)).toBe('planning');
    await finishLookup(world.dataSource, id, START);
    expect(await stateAfterRound(id)).toBe('planned');
    expect((await world.sends(id)).map((send) => [send.cell, send.recipients])).toEqual([
      ['Asia/Seoul|fallback|0|all|all', ['crash-1', 'crash-2']],
      ['UTC+09:00|registered-offset|0|all|all', ['crash-0']],
    ]);
  });

  it('is planned and has its look-up ended at one moment without either waiting for the other for ever', async () => {
    const id = await accepted('both');
    expect(await stateAfterRound(id)).toBe('planning');
    let ending: Promise<void> | undefined;
    await world.dataSource.transaction(async (sql) => {
      expect(await lockToPlan(sql, [id])).toEqual([id]);
      ending = finishLookup(world.dataSource, id, START);
      await untilLockAwaited((text) => world.rows(text), { like: '%update audience_lookup%' });
      await closeLookups(sql, [id]);
    });
    await ending;
    expect(await world.rows('select from audience_lookup where campaign = $1', [id])).toEqual([]);
    expect(await world.campaign(id)).toMatchObject({
      state: 'planning',
      plan_at: new Date(START + 50 * MINUTE),
    });
  });

  it('does not wait for what the cache holds, and does again a day later', async () => {
    const known = ['cached-0', 'cached-1', 'cached-2'].map((userId) => ({
      userId,
      isUser: true,
      offsetSeconds: 0,
    }));
    await writeOffsets(world.dataSource, SERVICE, known, START - 24 * 60 * MINUTE);
    expect(await stateAfterRound(await accepted('cached'))).toBe('planned');
    world.clock.advance(1);
    const late = await accepted('cached');
    expect(await stateAfterRound(late)).toBe('planning');
    await finishLookup(world.dataSource, late, world.clock.now());
    expect(await stateAfterRound(late)).toBe('planned');
  });

  it('can be canceled while it waits, and nobody looks for it any more', async () => {
    const id = await accepted('canceled');
    await stateAfterRound(id);
    expect(await campaignLookedUpFor(world.dataSource, id)).toMatchObject({ serviceId: SERVICE });
    await world.dataSource.transaction((sql) =>
      askAct(sql, { act: 'cancel', campaign: id, now: new Date(START), by: 'spec', code: 'CANCELED' }),
    );
    await world.takeBack();
    await world.closeFinished.runOnce();
    expect((await world.campaign(id)).state).toBe('canceled');
    expect(await campaignLookedUpFor(world.dataSource, id)).toBeUndefined();
  });

  it('shows what it waits for, how far that is, and until when', async () => {
    const shown = async (id: string) =>
      waitingFor(
        world.dataSource,
        { id, serviceId: SERVICE },
        { now: world.clock.now(), offsetCacheMs: 86_400_000 },
      );
    const id = await accepted('shown');
    expect(await shown(id)).toBeNull();
    await stateAfterRound(id);
    const times = { since: '2027-03-01T00:00:00.000Z', until: '2027-03-01T00:50:00.000Z', failedRounds: 0 };
    const of = { what: 'USER_OFFSETS', ids: 3, ...times };
    expect(await shown(id)).toEqual({ ...of, lookedUp: 0, toLookUp: 3, byFallback: 0 });

    // Yesterday's answer counts like one of today, and "no such user" is an answer.
    const answer = (userId: string, offsetSeconds: number | null, at: number) =>
      writeOffsets(
        world.dataSource,
        SERVICE,
        [{ userId, isUser: offsetSeconds !== null, offsetSeconds }],
        at,
      );
    await answer('shown-0', 3_600, START - 23 * 60 * MINUTE);
    await answer('shown-1', null, START);
    await answer('shown-2', 3_600, START - 25 * 60 * MINUTE);
    expect(await shown(id)).toEqual({ ...of, lookedUp: 2, toLookUp: 1, byFallback: 0 });

    await world.rows('update audience_lookup set asked = 9999, failures = 2 where campaign = $1', [id]);
    expect(await shown(id)).toMatchObject({ lookedUp: 2, toLookUp: 1, failedRounds: 2 });
    await world.rows('update audience_lookup set asked = 10000 where campaign = $1', [id]);
    expect(await shown(id)).toMatchObject({ lookedUp: 2, toLookUp: 0, byFallback: 1 });

    await world.rows('update audience_lookup set asked = 0 where campaign = $1', [id]);
    await finishLookup(world.dataSource, id, START);
    expect(await shown(id)).toMatchObject({ lookedUp: 2, toLookUp: 0, byFallback: 1 });
    await stateAfterRound(id);
    expect(await shown(id)).toBeNull();
  });
});
