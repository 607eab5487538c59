import { describe, expect, it } from 'vitest';
import {
  aCampaign,
  aPlan,
  aProject,
  knowing,
  rules,
  users,
} from '../../../../test/support/planning/planning.js';
import type { Campaign, Delivery } from './campaign.js';
import { fingerprint } from './plan-hash.js';
import { noFacts } from './plan-types.js';

const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `user-${index}`);
const recipient = (local: string): Delivery => ({ kind: 'recipient', local });

describe('planHash (planning.md §9)', () => {
  const hash = (campaign: Campaign, now: string, overrides: Parameters<typeof aPlan>[2] = {}): string => {
    const facts = { project: aProject(), audience: noFacts, rules, revision: 1, ...overrides };
    return fingerprint(aPlan(campaign, now, overrides), { campaign, now: Date.parse(now), ...facts }).hash;
  };
  const at = recipient('2027-03-01T09:00');
  const campaign = aCampaign(at, { audience: users('anna') });
  const same = hash(campaign, '2027-02-01T00:00Z');

  it('is the same a minute later, and in any order of members', () => {
    expect(hash(campaign, '2027-02-01T00:01Z')).toBe(same);
    const message = JSON.parse(
      '{"i18n":{"ja":{"content":"j"},"default":{"content":"d"}},"default":{"content":"x"}}',
    ) as Campaign['message'];
    const other = JSON.parse(
      '{"default":{"content":"x"},"i18n":{"default":{"content":"d"},"ja":{"content":"j"}}}',
    ) as Campaign['message'];
    expect(hash({ ...campaign, message }, '2027-02-01T00:00Z')).toBe(
      hash({ ...campaign, message: other }, '2027-02-01T00:00Z'),
    );
  });
  it('is the same for a campaign that goes now, whenever it is previewed', () => {
    const now = aCampaign({ kind: 'now' });
    expect(hash(now, '2027-02-01T00:00Z')).toBe(hash(now, '2027-02-01T03:17:21Z'));
  });
  it.each<[string, Campaign, Parameters<typeof aPlan>[2]]>([
    [
      'goes now at a pace',
      aCampaign({ kind: 'now' }, { audience: users(...ids(20)), policy: { pace: { perMinute: 7 } } }),
      { project: aProject({ maxTo: 1 }) },
    ],
    [
      'goes now at a pace, and not beyond a deadline',
      aCampaign(
        { kind: 'now' },
        {
          audience: users(...ids(20)),
          policy: { pace: { perMinute: 7 }, deadline: { months: 0, days: 0, ms: 90_000 } },
        },
      ),
      { project: aProject({ maxTo: 1 }) },
    ],
    [
      'goes now at a pace, in cells of their own',
      aCampaign(
        { kind: 'now' },
        {
          audience: users(...ids(4)),
          policy: { pace: { perMinute: 60 }, split: { deviceType: true, country: false } },
        },
      ),
      {},
    ],
    [
      'goes now where the time is over, and later elsewhere, jittered and paced',
      aCampaign(recipient('2027-02-01T08:00'), {
        audience: users('anna', 'ben', 'carl'),
        policy: { passedZone: { kind: 'send-now' }, jitterMs: 600_000, pace: { perMinute: 7 } },
      }),
      {
        audience: knowing({ anna: 'Asia/Seoul', ben: 'Asia/Tokyo', carl: 'America/New_York' }),
      },
    ],
    ['stands under a schedule code', aCampaign({ kind: 'schedule', scheduleCode: 'WEEKLY' }), {}],
    [
      'goes now, and is deferred to the end of the night',
      aCampaign(
        { kind: 'now' },
        {
          messageType: 'AD',
          audience: users(...ids(20)),
          policy: { night: 'defer', pace: { perMinute: 7 } },
        },
      ),
      { project: aProject({ maxTo: 1, defaultZone: 'America/New_York' }) },
    ],
    [
      'comes back daily, with another occurrence in sight by then',
      aCampaign({ kind: 'wall', local: '2027-02-03T12:00', zone: 'UTC', recurrence: 'FREQ=HOURLY' }),
      { lookedAt: Date.parse('2027-02-01T07:00Z') },
    ],
  ])('is the same in every minute of the hours that follow for what %s', (_name, previewed, overrides) => {
    const first = hash(previewed, '2027-02-01T07:00Z', overrides);
    expect(hash(previewed, '2027-02-01T07:00:00.001Z', overrides)).toBe(first);
    expect(hash(previewed, '2027-02-01T09:17:21.987Z', overrides)).toBe(first);
  });
  it('does not depend on mode or hand-off', () => {
    expect(hash(campaign, '2027-02-28T23:59Z')).toBe(same);
    expect(hash(campaign, '2027-02-01T00:00Z', { project: aProject({ reservations: false }) })).toBe(same);
  });
  it.each<[string, Campaign, Parameters<typeof aPlan>[2]]>([
    ['the message', { ...campaign, message: { default: { content: 'other' } } }, {}],
    ['the time', { ...campaign, delivery: recipient('2027-03-01T09:01') }, {}],
    ['the audience', { ...campaign, audience: users('ben') }, {}],
    ['a zone in the directory', campaign, { audience: knowing({ anna: 'Europe/Berlin' }) }],
    ['the message type', { ...campaign, messageType: 'AD' }, {}],
    ['the push project', { ...campaign, serviceId: 'another-app' }, {}],
  ])('changes with %s', (_name, changed, overrides) => {
    expect(hash(changed, '2027-02-01T00:00Z', overrides)).not.toBe(same);
  });

  it('changes with the pace of what goes now', () => {
    const atPace = (perMinute: number): string =>
      hash(
        aCampaign({ kind: 'now' }, { audience: users(...ids(9)), policy: { pace: { perMinute } } }),
        '2027-02-01T00:00Z',
        { project: aProject({ maxTo: 1 }) },
      );
    expect(atPace(2)).not.toBe(atPace(3));
  });
  it('changes with the schedule code', () => {
    const under = (scheduleCode: string): string =>
      hash(aCampaign({ kind: 'schedule', scheduleCode }), '2027-02-01T00:00Z');
    expect(under('DAILY')).not.toBe(under('WEEKLY'));
  });
  it.each([
    ['rule', { recurrence: 'FREQ=WEEKLY' }],
    ['count', { recurrence: 'FREQ=DAILY;COUNT=3' }],
    ['end', { recurrence: 'FREQ=DAILY;UNTIL=20270901' }],
    ['start', { local: '2027-08-01T09:01' }],
    ['zone', { zone: 'Europe/Paris' }],
  ])('changes with the %s of a recurrence of which nothing is in sight yet', (_name, changed) => {
    const daily = {
      kind: 'wall',
      local: '2027-08-01T09:00',
      zone: 'Asia/Seoul',
      recurrence: 'FREQ=DAILY',
    } as const;
    const [one, other] = [aCampaign(daily), aCampaign({ ...daily, ...changed })];
    expect(aPlan(one, '2027-02-01T00:00Z').occurrences).toEqual([]);
    expect(hash(other, '2027-02-01T00:00Z')).not.toBe(hash(one, '2027-02-01T00:00Z'));
  });

  it('changes where users swap their zones, whatever the counts of the cells', () => {
    const four = aCampaign(at, { audience: users('anna', 'ben', 'carl', 'dora') });
    const living = (carl: string, dora: string): string =>
      hash(four, '2027-02-01T00:00Z', {
        audience: knowing({ anna: 'Asia/Seoul', ben: 'Europe/Paris', carl, dora }),
      });
    expect(living('Asia/Seoul', 'Europe/Paris')).not.toBe(living('Europe/Paris', 'Asia/Seoul'));
  });

  it('changes where a paced send-now would reach its deadline before all have gone', () => {
    const paced = aCampaign(recipient('2027-02-01T08:00'), {
      audience: users(...ids(120)),
      policy: {
        passedZone: { kind: 'send-now' },
        pace: { perMinute: 1 },
        deadline: { months: 0, days: 0, ms: 2 * 3_600_000 },
      },
    });
    const project = aProject({ maxTo: 1 });
    const early = hash(paced, '2027-01-31T23:01Z', { project });
    expect(hash(paced, '2027-01-31T23:02Z', { project })).not.toBe(early);
  });
});
