import { expect, it } from 'vitest';
import type { RetryCandidate } from '../store/send/retry.store.js';
import type { SetFacts } from '../store/send/send-set.store.js';
import { addFact, shownFacts } from './retry-facts.js';

const candidate = (more: Partial<RetryCandidate> = {}): RetryCandidate => ({
  id: 's',
  serviceId: 'shop-app',
  campaign: 'c',
  revision: 1,
  state: 'failed',
  code: null,
  detail: null,
  since: 1_000,
  devices: 5,
  retries: 0,
  refusal: null,
  askAbout: null,
  standing: false,
  zone: null,
  ...more,
});

it('adds up the projects of a set; the campaign with most sends comes first', () => {
  const [one, other]: SetFacts[] = [{}, {}];
  if (one === undefined || other === undefined) throw new Error('there are two');
  addFact(one, candidate());
  addFact(other, candidate({ campaign: 'd', since: 500, devices: null }));
  addFact(other, candidate({ campaign: 'd', state: 'rejected', code: 'NOT_FOUND' }));
  expect(shownFacts([one, other])).toEqual({
    devices: 10,
    unknownDevices: 1,
    oldestDueAt: new Date(500),
    failsAgain: { NOT_FOUND: 1 },
    campaigns: [
      { campaign: 'd', sends: 2 },
      { campaign: 'c', sends: 1 },
    ],
    campaignCount: 2,
    campaignCountIsLeast: false,
  });
});

it('takes away what turned out to be left out', () => {
  const facts: SetFacts = {};
  addFact(facts, candidate({ detail: 'PAYLOAD_TOO_LARGE: 5 devices' }));
  addFact(facts, candidate({ detail: 'PAYLOAD_TOO_LARGE: 5 devices' }), -1);
  expect(shownFacts([facts])).toMatchObject({ devices: 0, failsAgain: {}, campaigns: [] });
});

it('tells a bounded number of campaigns apart', () => {
  const facts: SetFacts = {};
  for (let n = 0; n < 1_001; n += 1) addFact(facts, candidate({ campaign: `c${n}` }));
  const shown = shownFacts([facts]);
  expect(shown).toMatchObject({ campaignCount: 1_000, campaignCountIsLeast: true });
  expect(shown.campaigns).toHaveLength(20);
});

it('has nothing to say of no send', () => {
  expect(shownFacts([{}])).toMatchObject({ devices: 0, oldestDueAt: null, campaignCount: 0 });
});
