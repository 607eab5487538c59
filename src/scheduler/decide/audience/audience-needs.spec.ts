import { describe, expect, it } from 'vitest';
import {
  aCampaign,
  aPlan,
  aProject,
  channel,
  everybody,
  iso,
  users,
} from '../../../../test/support/planning/planning.js';
import { censusOf, idsWithoutZone, lastPollAt } from './audience-needs.js';
import type { Campaign } from '../plan/campaign.js';

const onRecipientClock = (
  local: string,
  segments?: Extract<Campaign['delivery'], { kind: 'recipient' }>['segments'],
) => ({ kind: 'recipient', local, ...(segments === undefined ? {} : { segments }) }) as const;

describe('idsWithoutZone', () => {
  it('names each id that no segment holds, once, in order', () => {
    const segments = [{ zone: 'Europe/Paris', audience: users('b') }];
    const campaign = aCampaign(onRecipientClock('2027-03-01T09:00', segments), {
      audience: users('c', 'a', 'b', 'c'),
    });
    expect(idsWithoutZone(campaign)).toEqual(['c', 'a']);
  });

  it('names nobody where the clock of recipients does not count', () => {
    expect(idsWithoutZone(aCampaign({ kind: 'now' }, { audience: users('a') }))).toEqual([]);
  });
});

describe('censusOf', () => {
  const delivery = onRecipientClock('2027-03-01T09:00');
  const project = aProject({ extensions: ['target-timezone'] });
  it.each([
    ['everybody: of the service', everybody, { channelName: null }],
    ['a channel: of that channel', channel('vip'), { channelName: 'vip' }],
    ['two channels: of the service', { ...channel('vip'), to: ['vip', 'new'] }, { channelName: null }],
    ['users: none', users('a'), undefined],
  ])('%s', (_, audience, census) => {
    expect(censusOf(aCampaign(delivery, { audience }), project)).toEqual(census);
  });

  it('is none without the extension, and where the clock of recipients does not count', () => {
    expect(censusOf(aCampaign(delivery), aProject())).toBeUndefined();
    expect(censusOf(aCampaign({ kind: 'now' }), project)).toBeUndefined();
  });
});

describe('lastPollAt', () => {
  it.each([
    // 09:00 comes first in UTC+14, five hours before Seoul.
    [
      'ten minutes before the first clock can show it',
      '2027-03-01T09:00',
      '2027-02-28T12:00Z',
      '2027-02-28T18:50Z',
    ],
    // Over in Seoul: the next clock that shows 09:00 may be that of UTC+8.
    [
      'before the next full hour where nothing known is due',
      '2027-03-01T09:00',
      '2027-03-01T00:20Z',
      '2027-03-01T00:50Z',
    ],
    [
      'and not less than ten minutes before that',
      '2027-03-01T09:00',
      '2027-03-01T00:50Z',
      '2027-03-01T01:50Z',
    ],
    ['at once where it is over on every clock', '2027-03-01T09:00', '2027-03-04T00:00Z', '2027-03-04T00:00Z'],
  ])('is %s', (_, local, now, expected) => {
    const campaign = aCampaign(onRecipientClock(local), { audience: users('a') });
    const last = lastPollAt(aPlan(campaign, now), campaign, Date.parse(now));
    expect(iso(last)).toBe(expected);
  });

  it('is, of a recurrence, that of the occurrences that are planned', () => {
    const campaign = aCampaign(
      { kind: 'recipient', local: '2026-03-01T09:00', recurrence: 'FREQ=DAILY;UNTIL=20270310' },
      { audience: users('a') },
    );
    const now = '2027-03-01T12:00Z';
    const plan = aPlan(campaign, now, { after: '2027-03-01T09:00' });
    expect(iso(lastPollAt(plan, campaign, Date.parse(now)))).toBe('2027-03-01T18:50Z');
  });

  it('waits where a refusal may be lifted by a zone, and not where it may not', () => {
    const now = '2027-03-01T00:20Z';
    const passed = aCampaign(onRecipientClock('2027-03-01T09:00'), {
      audience: users('a'),
      policy: { passedZone: { kind: 'reject' } },
    });
    expect(iso(lastPollAt(aPlan(passed, now), passed, Date.parse(now)))).toBe('2027-03-01T00:50Z');
    const nowhere = aPlan(passed, now, { project: aProject({ defaultZone: 'Mars/Base' }) });
    expect(iso(lastPollAt(nowhere, passed, Date.parse(now)))).toBe(now);
  });
});
