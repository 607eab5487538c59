import { describe, expect, it } from 'vitest';
import {
  aCampaign,
  aPlan,
  aProject,
  cellsOf,
  rules,
  users,
} from '../../../../test/support/planning/planning.js';
import type { Campaign, Segment } from '../plan/campaign.js';
import { cellsOfGroup } from './recipient-group.js';
import { noFacts, type AudienceFacts } from '../plan/plan-types.js';
import { chunkRecipients } from './chunk-recipients.js';
import { inlineRecipients, RecipientPlacer, type Recipient } from './recipients.js';

const at = (segments?: readonly Segment[]): Campaign['delivery'] => ({
  kind: 'recipient',
  local: '2027-03-01T09:00',
  ...(segments === undefined ? {} : { segments }),
});
const now = '2027-02-01T00:00Z';

describe('requests of at most maxTo ids', () => {
  it('fill up in the order of the ids, each id once, under the keys of the plan', () => {
    const ids = Array.from({ length: 25 }, (_, index) => `user-${index}`);
    const zoneOf: AudienceFacts['zoneOf'] = (userId) => ({
      source: 'directory',
      zone: Number(userId.slice(5)) % 3 === 0 ? 'Asia/Tokyo' : 'Europe/Berlin',
    });
    const campaign = aCampaign(at(), {
      audience: users(...ids, 'user-3'),
      policy: { split: { deviceType: true, country: false } },
    });
    const plan = aPlan(campaign, now, { audience: { zoneOf }, project: aProject({ maxTo: 4 }) });
    const placer = new RecipientPlacer(campaign, aProject(), rules);
    const requests = [...chunkRecipients(inlineRecipients(campaign, { zoneOf }), placer, 4)].flatMap(
      ({ place, chunk, to }) =>
        cellsOfGroup(place, campaign.policy.split).map(({ key }) => ({ key, chunk, to })),
    );
    for (const cell of cellsOf(plan)) {
      const own = requests.filter(({ key }) => key === cell.key).sort((a, b) => a.chunk - b.chunk);
      expect(own.map(({ chunk }) => chunk)).toEqual(Array.from({ length: cell.chunks }, (_, index) => index));
      expect(new Set(own.flatMap(({ to }) => to)).size).toBe(cell.recipients);
    }
    expect(requests.every(({ to }) => to.length <= 4)).toBe(true);
    expect(requests.flatMap(({ to }) => to).length).toBe(2 * ids.length);
  });

  it('1 000 000 ids over 40 zones pass through once, in bounded memory', () => {
    const zones = rules
      .names()
      .filter((zone) => zone.startsWith('America/'))
      .slice(0, 40);
    let alive = 0;
    function* rows(): Generator<Recipient> {
      for (let n = 0; n < 1_000_000; n += 1) {
        alive += 1;
        yield { userId: `user-${n}`, segment: 0, known: { source: 'given', zone: zones[n % 40] ?? '' } };
      }
    }
    const campaign = aCampaign(at(), {
      audience: { type: 'USER', list: 'all', deviceType: null, country: [] },
    });
    const placer = new RecipientPlacer(campaign, aProject(), rules);
    let requests = 0;
    let most = 0;
    for (const { to } of chunkRecipients(rows(), placer, 1_000)) {
      most = Math.max(most, alive);
      alive -= to.length;
      requests += 1;
    }
    expect(requests).toBe(1_000);
    // Never more ids at once than one unfinished request for each zone.
    expect(most).toBeLessThanOrEqual(40 * 1_000);
    expect(alive).toBe(0);
    const groups = placer
      .groups()
      .map(({ zone, recipients = 0 }) => ({ known: { source: 'given', zone } as const, recipients }));
    const plan = aPlan(campaign, now, { audience: { ...noFacts, lists: { all: { version: '1', groups } } } });
    expect(plan.totals).toMatchObject({ cells: 40, requests: 1_000, recipients: 1_000_000 });
  });
});
