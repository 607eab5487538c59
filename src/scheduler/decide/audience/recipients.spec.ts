import { describe, expect, it } from 'vitest';
import { cells, codes, now, planned } from '../../../../test/support/planning/audience-plans.js';
import {
  aCampaign,
  aPlan,
  cellsOf,
  channel,
  knowing,
  users,
} from '../../../../test/support/planning/planning.js';
import type { Audience } from '../plan/campaign.js';
import { noFacts, type AudienceFacts } from '../plan/plan-types.js';

describe("USER audiences on the recipient's clock (planning.md §2)", () => {
  it('source 1: segments win over the directory, and the first segment wins over the next', () => {
    const plan = planned(
      users('anna', 'carl'),
      [
        { zone: 'Europe/Berlin', audience: users('anna', 'ben', 'ben') },
        { zone: 'America/New_York', audience: users('ben', 'dora') },
      ],
      knowing({ anna: 'Asia/Tokyo', carl: 'Asia/Tokyo' }),
    );
    expect(cells(plan)).toEqual([
      'Europe/Berlin|given|1|all|all 2',
      'America/New_York|given|2|all|all 1',
      'Asia/Tokyo|directory|0|all|all 1',
    ]);
    expect(plan.totals).toMatchObject({ recipients: 4, duplicates: 3 });
    expect(codes(plan)).toEqual(['DUPLICATE_IDS']);
  });

  it('source 2: the directory, then the registered offset, which follows no DST', () => {
    const facts: AudienceFacts = {
      zoneOf: (userId) =>
        (
          ({
            anna: { source: 'directory', zone: 'Europe/Berlin' },
            ben: { source: 'registered-offset', offsetSeconds: 3_600 },
          }) as const
        )[userId as 'anna' | 'ben'],
    };
    const summer = aCampaign(
      { kind: 'recipient', local: '2027-07-01T09:00' },
      { audience: users('anna', 'ben') },
    );
    const found = cellsOf(aPlan(summer, now, { audience: facts }));
    expect(found.map((cell) => [cell.key, new Date(cell.dueAt).toISOString()])).toEqual([
      ['Europe/Berlin|directory|0|all|all', '2027-07-01T07:00:00.000Z'],
      ['UTC+01:00|registered-offset|0|all|all', '2027-07-01T08:00:00.000Z'],
    ]);
    expect(found[1]?.target).toEqual({ type: 'USER' });
  });

  it('source 5: ids nobody knows, and ids in zones that are none, share one fallback cell', () => {
    const plan = planned(
      users('anna', 'ben', 'carl'),
      [{ zone: 'Europe/Atlantis', audience: users('dora') }],
      knowing({ anna: 'Mars/Base', carl: 'Asia/Calcutta' }),
    );
    expect(cells(plan)).toEqual([
      'Asia/Seoul|fallback|0|all|all 3 INVALID_ZONE',
      'Asia/Calcutta|directory|0|all|all 1',
    ]);
    expect(plan.totals).toMatchObject({
      fallbackRecipients: 3,
      invalidZones: { 'Europe/Atlantis': 1, 'Mars/Base': 1 },
    });
    expect(codes(plan)).toEqual(['INVALID_ZONE']);
  });

  it.each(['constructor', '__proto__', 'toString'])(
    'a zone called %s is counted like any that is none',
    (zone) => {
      const ofIds = planned(users('anna'), [{ zone, audience: users('dora', 'emma') }]);
      const ofChannels = planned(null, [
        { zone, audience: channel('a') },
        { zone, audience: channel('b') },
      ]);
      for (const { totals, warnings } of [ofIds, ofChannels]) {
        expect(Object.entries(totals.invalidZones)).toEqual([[zone, 2]]);
        expect(warnings).toContainEqual(
          expect.objectContaining({
            code: 'INVALID_ZONE',
            text: expect.stringContaining(`: ${zone};`) as string,
          }),
        );
      }
    },
  );

  it('a segment with filters of its own keeps a fallback cell of its own: one request has one filter', () => {
    const audience: Audience = { type: 'USER', to: ['dora'], deviceType: 'APNS', country: [] };
    const plan = planned(users('anna'), [{ zone: 'Nowhere', audience }]);
    expect(cells(plan)).toEqual([
      'Asia/Seoul|fallback|1|all|all 1 INVALID_ZONE',
      'Asia/Seoul|fallback|0|all|all 1 ZONE_UNKNOWN',
    ]);
  });

  it('an uploaded list is planned from counts, its zone column first', () => {
    const facts: AudienceFacts = {
      zoneOf: () => undefined,
      lists: {
        vip: {
          version: 'v7',
          groups: [
            { known: { source: 'given', zone: 'Europe/Berlin' }, recipients: 2_500 },
            { known: { source: 'given', zone: 'Europe/Nowhere' }, recipients: 10 },
            { known: { source: 'directory', zone: 'Asia/Tokyo' }, recipients: 1 },
            { known: undefined, recipients: 5 },
          ],
        },
      },
    };
    const plan = planned({ type: 'USER', list: 'vip', deviceType: null, country: [] }, undefined, facts);
    expect(cellsOf(plan).map((cell) => [cell.key, cell.recipients, cell.chunks])).toEqual([
      ['Europe/Berlin|given|0|all|all', 2_500, 3],
      ['Asia/Seoul|fallback|0|all|all', 15, 1],
      ['Asia/Tokyo|directory|0|all|all', 1, 1],
    ]);
  });

  it('provisional ids are said', () => {
    expect(codes(planned(users('anna'), undefined, { ...noFacts, provisional: 1, lookUps: 1 }))).toEqual([
      'PROVISIONAL',
    ]);
  });

  it('nobody at all is said, and nothing is planned', () => {
    const plan = planned(users());
    expect(cells(plan)).toEqual([]);
    expect(codes(plan)).toEqual(['NOTHING_WILL_LEAVE', 'NOBODY']);
  });
});
