import { describe, expect, it } from 'vitest';
import { funnelOf, FUNNEL_STAGES, type FunnelStage } from './funnel.js';
import type { FunnelReported, FunnelSends } from './funnel.store.js';

const CAMPAIGN = '0198c0de-0000-7000-8000-000000000001';
const sends = (
  state: FunnelSends['state'],
  number: number,
  more: Partial<FunnelSends> = {},
): FunnelSends => ({
  state,
  code: null,
  answered: true,
  sends: 1,
  ids: number,
  unlisted: 0,
  whole: 0,
  ...more,
});
const reported = (
  outcome: FunnelReported['outcome'],
  devices: number,
  reason: string | null = null,
): FunnelReported => ({ outcome, reason, devices, states: ['sent'] });
const none = { target: 0, sent: 0, failed: 0, pending: 0, unknown: 0 };

function stages(facts: Partial<Parameters<typeof funnelOf>[0]>): Record<string, FunnelStage> {
  const funnel = funnelOf({
    campaign: CAMPAIGN,
    given: 0,
    sends: [],
    reported: [],
    devices: none,
    ...facts,
  });
  expect(funnel.map(({ stage }) => stage)).toEqual(FUNNEL_STAGES);
  return Object.fromEntries(funnel.map((one) => [one.stage, one]));
}

/** Nothing may disappear: what comes in is left, lost, open or untold. */
function expectSums(funnel: Record<string, FunnelStage>): void {
  for (const { of, count, lost, pending, notTold } of Object.values(funnel)) {
    if (of === null || count === null || pending === null || notTold === null) continue;
    const gone = lost.reduce((sum, one) => sum + (one.count ?? 0), 0);
    expect(count + gone + pending + notTold).toBe(of);
  }
}

it('counts ids, then devices, each loss with its reason', () => {
  const funnel = stages({
    given: 30,
    sends: [
      sends('sent', 20),
      sends('skipped', 6, { code: 'NIGHT', answered: false, sends: 2 }),
      sends('uncertain', 3, { answered: false }),
      sends('planned', 1, { answered: false }),
    ],
    reported: [
      reported('answered', 1),
      reported('named', 20),
      reported('absent', 4, 'UNKNOWN_ID'),
      reported('absent', 1, 'NO_DEVICE'),
      reported('suppressed', 3, 'NO_AD_AGREEMENT'),
      reported('suppressed', 2, 'NIGHT_WITHOUT_AGREEMENT'),
      reported('sent', 9),
      reported('failed', 2, 'UNREGISTERED'),
      reported('unknown', 1, 'TIMED_OUT'),
    ],
    devices: { ...none, target: 12, sent: 9, failed: 3 },
  });
  expectSums(funnel);
  expect(Object.values(funnel).map(({ stage, of, count }) => [stage, of, count])).toEqual([
    ['given', 30, 30],
    ['requested', 30, 20],
    ['known', 20, 15],
    ['consent', 17, 14],
    ['targeted', 14, 12],
    ['taken', 12, 9],
  ]);
  expect(funnel['requested']).toMatchObject({ pending: 1, notTold: 3 });
  expect(funnel['requested']?.lost).toEqual([
    {
      reason: 'NIGHT',
      count: 6,
      requests: 2,
      sends: `/v1/sends?campaign=${CAMPAIGN}&state=skipped&code=NIGHT`,
    },
  ]);
  // A provider may have taken the device whose answer was lost.
  expect(funnel['taken']).toMatchObject({
    notTold: 1,
    lost: [{ reason: 'UNREGISTERED', count: 2, sends: expect.stringContaining('reason=UNREGISTERED') }],
  });
});

describe('what nobody can say', () => {
  it('is not 0 where no breakdown came', () => {
    const funnel = stages({
      given: 20,
      sends: [sends('sent', 20, { sends: 2 })],
      devices: { ...none, target: 15, sent: 14, failed: 1 },
    });
    expectSums(funnel);
    expect(funnel['known']).toMatchObject({ of: 20, count: 0, notTold: 20 });
    expect(funnel['consent']).toMatchObject({ count: 15, notTold: null });
    expect(funnel['targeted']).toMatchObject({ count: 15, notTold: null });
    expect(funnel['taken']).toMatchObject({ count: 14, notTold: 1 });
  });

  it('is 0 for single ids that got it on all their devices, though nobody asked', () => {
    const funnel = stages({
      given: 3,
      sends: [sends('sent', 3, { sends: 3, whole: 3 })],
      devices: { ...none, target: 4, sent: 4 },
    });
    expectSums(funnel);
    expect(Object.values(funnel).map(({ notTold }) => notTold)).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it('is every id where the gateway counts none', () => {
    const funnel = stages({
      given: 20,
      sends: [sends('empty', 20)],
      reported: [reported('answered', 1), reported('suppressed', 5, 'NO_AD_AGREEMENT')],
    });
    expect(funnel['known']).toMatchObject({ count: 0, notTold: 20 });
    expect(funnel['consent']).toMatchObject({ of: 5, count: 0, notTold: 0 });
  });

  it('is the ids themselves for an audience that is not made of them', () => {
    const funnel = stages({
      given: null,
      sends: [
        sends('sent', 0, { unlisted: 1 }),
        sends('expired', 0, { unlisted: 1, code: 'TOO_LATE', answered: false }),
      ],
      reported: [reported('answered', 1)],
      devices: { ...none, target: 7, sent: 7 },
    });
    for (const stage of ['given', 'requested', 'known'])
      expect(funnel[stage]).toMatchObject({ count: null, notTold: null });
    expect(funnel['requested']?.lost).toMatchObject([{ reason: 'TOO_LATE', count: null, requests: 1 }]);
    expect(funnel['taken']).toMatchObject({ count: 7, notTold: 0 });
  });

  it('may still be told while requests are open', () => {
    const funnel = stages({
      given: 9,
      sends: [sends('accepted', 9, { answered: false })],
      devices: { ...none, target: 5, pending: 5 },
    });
    expect(funnel['requested']).toMatchObject({ count: 0, pending: 9 });
    expect(funnel['consent']).toMatchObject({ pending: null });
    expect(funnel['taken']).toMatchObject({ pending: 5, notTold: 0 });
  });
});
