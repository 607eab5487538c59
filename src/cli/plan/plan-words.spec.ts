import { describe, expect, it } from 'vitest';
import type { Campaign } from '../../scheduler/decide/plan/campaign.js';
import type { Plan } from '../../scheduler/decide/plan/plan-types.js';
import type { Policy } from '../../scheduler/decide/timing/campaign-policy.js';
import { aroundTheWorld, everywhere } from '../../../test/support/planning/around-the-world.js';
import {
  aCampaign,
  aPlan,
  aProject,
  cellIn,
  onlyCell,
  users,
} from '../../../test/support/planning/planning.js';
import { reasonsOf } from './plan-words.js';

it.each([
  ['forward', '2027-03-14 02:30 does not exist there: moved past the gap'],
  ['skip', '2027-03-14 02:30 does not exist there'],
] as const)('planning.md §4: next-day into a gap names the day that has the gap (%s)', (gap, words) => {
  const policy = { passedZone: { kind: 'next-day' }, dst: { gap, overlap: 'first' } } as const;
  const plan = aPlan(aroundTheWorld('2027-03-13T02:30', policy), '2027-03-13T17:00Z', {
    audience: everywhere,
  });
  const [dst, passed] = reasonsOf(cellIn(plan, 'America/New_York'), plan.policy);
  expect([dst, passed]).toEqual([words, '2027-03-13 02:30 was over there already: the next day']);
});

describe('a cell says', () => {
  const wordsOf = (plan: Plan): string => reasonsOf(onlyCell(plan), plan.policy).join('; ');
  const inNewYork = (local: string, policy: Partial<Policy>, more: Partial<Campaign> = {}): Plan => {
    const delivery = { kind: 'wall', local, zone: 'America/New_York' } as const;
    const project = aProject({ maxTo: 1 });
    return aPlan(aCampaign(delivery, { ...more, policy }), '2027-03-13T12:00Z', { project, isTaken: true });
  };

  it('how many of its requests a pace puts into the night', () => {
    const to = { messageType: 'AD', audience: users('anna', 'ben', 'carl') } as const;
    const plan = inNewYork('2027-03-14T20:59', { pace: { perMinute: 1 } }, to);
    expect(wordsOf(plan)).toContain('the pace puts 2 of 3 requests into the night: to those who consented');
    expect(plan.warnings.map(({ code }) => code)).toContain('NIGHT_CONSENT_ONLY');
  });

  it('that the clock change skips the end of quiet hours', () => {
    const quietHours = { startMinute: 22 * 60, endMinute: 2 * 60 + 30, action: 'defer' } as const;
    expect(wordsOf(inNewYork('2027-03-14T01:00', { quietHours }))).toContain(
      'quiet hours: deferred to 03:00, because 02:30 does not exist there: the clock is set forward',
    );
    expect(wordsOf(inNewYork('2027-03-15T01:00', { quietHours }))).toBe('quiet hours: deferred to 02:30');
  });

  it('how late it goes where the policy sends it all the same', () => {
    const lateness = { maxMs: 60_000, beyond: 'send' } as const;
    expect(wordsOf(inNewYork('2027-03-13T05:00', { lateness }))).toBe(
      'late by 2 h, 1 min are allowed: it goes all the same',
    );
    expect(wordsOf(inNewYork('2027-03-13T06:59:30', { lateness }))).toBe('');
  });
});
