import { describe, expect, it } from 'vitest';
import { aCampaign, aPlan, aProject, knowing, users } from '../../../test/support/planning.js';
import type { Campaign, Delivery } from './campaign.js';
import { planHash } from './plan-hash.js';
import { noFacts } from './planned.js';

const recipient = (local: string): Delivery => ({ kind: 'recipient', local });

describe('planHash (§9)', () => {
  const hash = (campaign: Campaign, now: string, overrides: Parameters<typeof aPlan>[2] = {}): string => {
    const plan = aPlan(campaign, now, overrides);
    return planHash(plan, campaign, overrides.audience ?? noFacts, Date.parse(now));
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
  it('does not hang on mode or hand-off', () => {
    expect(hash(campaign, '2027-02-28T23:59Z')).toBe(same);
    expect(hash(campaign, '2027-02-01T00:00Z', { project: aProject({ reservations: false }) })).toBe(same);
  });
  it.each<[string, Campaign, Parameters<typeof aPlan>[2]]>([
    ['the message', { ...campaign, message: { default: { content: 'other' } } }, {}],
    ['the time', { ...campaign, delivery: recipient('2027-03-01T09:01') }, {}],
    ['the audience', { ...campaign, audience: users('ben') }, {}],
    ['a zone in the directory', campaign, { audience: knowing({ anna: 'Europe/Berlin' }) }],
    ['the message type', { ...campaign, messageType: 'AD' }, {}],
  ])('changes with %s', (_name, changed, overrides) => {
    expect(hash(changed, '2027-02-01T00:00Z', overrides)).not.toBe(same);
  });
});
