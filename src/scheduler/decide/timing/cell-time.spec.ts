// How lateness and the deadline change a cell. The judgement of a cell at planning and the check before send are two pieces of
// code: over random campaigns, times and policies they must say the same, or a preview would show something that is not done.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outcomes } from '../../../../test/support/planning/around-the-world.js';
import {
  aCampaign,
  aPlan,
  aProject,
  cellsOf,
  knowing,
  rules,
  users,
} from '../../../../test/support/planning/planning.js';
import { checkBeforeSend, type SendCheck } from '../../dispatch/check-before-send.js';
import type { Campaign, Delivery } from '../plan/campaign.js';
import { formatLocal, HOUR_MS, MINUTE_MS } from '../../../zone-rules/civil.js';
import type { Plan, PlannedCell } from '../plan/plan-types.js';
import { requireZoneTable } from '../audience/zone-by-name.js';
import type { Policy } from './campaign-policy.js';

const NOW = Date.parse('2027-03-13T17:00Z');
const zones = { anna: 'Asia/Seoul', ben: 'America/New_York', carl: 'Europe/London' };

const minute = fc.integer({ min: 0, max: 24 * 60 - 1 });
const hours = (...of: number[]) => fc.constantFrom(...of).map((length) => length * HOUR_MS);
const policies = fc.record({
  night: fc.constantFrom('consented', 'defer', 'skip'),
  quietHours: fc.option(
    fc
      .record({ startMinute: minute, endMinute: minute, action: fc.constantFrom('defer', 'skip') })
      .filter(({ startMinute, endMinute }) => startMinute !== endMinute),
  ),
  passedZone: fc.oneof(
    fc.record({ kind: fc.constantFrom('skip', 'send-now', 'next-day') }),
    fc.constant({ kind: 'floor', zone: 'America/Los_Angeles' } as const),
  ),
  deadline: fc.oneof(
    fc.constant({ months: 0, days: 1, ms: 0 }),
    hours(1, 6, 30).map((ms) => ({ months: 0, days: 0, ms })),
  ),
  lateness: fc.record({ maxMs: hours(0, 1, 12, 48), beyond: fc.constantFrom('expire', 'send') }),
});
/** A wall time within two days of now. */
const local = fc
  .integer({ min: -48 * 4, max: 48 * 4 })
  .map((quarters) => formatLocal(NOW + quarters * 15 * MINUTE_MS));
const delivery: fc.Arbitrary<Delivery> = fc.oneof(
  fc.record({ kind: fc.constant('recipient'), local }),
  fc.record({ kind: fc.constant('wall'), local, zone: fc.constantFrom(...Object.values(zones)) }),
);
const campaigns = fc
  .record({ delivery, policy: policies, messageType: fc.constantFrom('AD', 'NOTIF') })
  .map(({ delivery: at, ...rest }) => aCampaign(at, { ...rest, audience: users(...Object.keys(zones)) }));

/** What the check before send says of a cell due at `dueAt`, at that instant or now where it is past. */
function atHandOff(campaign: Campaign, cell: PlannedCell, dueAt: number): SendCheck {
  return checkBeforeSend({
    now: Math.max(NOW, dueAt),
    scheduled: false,
    intendedAt: cell.intendedAt,
    dueAt,
    until: null,
    attempts: 0,
    byHand: false,
    messageType: campaign.messageType,
    policy: campaign.policy,
    project: aProject(),
    table: requireZoneTable(cell.zone, rules),
  });
}

/** In a word; a due only where it goes. */
function foretold(cell: PlannedCell): string {
  if (cell.expired !== undefined) return 'expired';
  return cell.skipped ?? `fire ${cell.dueAt}`;
}
function done(look: SendCheck): string {
  return look.kind === 'skipped' ? look.code : look.kind === 'fire' ? `fire ${look.dueAt ?? ''}` : look.kind;
}

describe('what is previewed of a cell', () => {
  it('is what the check before send says', () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(campaigns, (campaign) => {
        const plan = aPlan(campaign, new Date(NOW).toISOString(), { audience: knowing(zones) });
        for (const cell of cellsOf(plan)) {
          const planned = foretold(cell);
          const [word = ''] = planned.split(' ');
          // What was left out before any window was asked has no check before send.
          if (['PASSED_ZONE', 'DST_GAP'].includes(word)) continue;
          // Left out: looked at as if it had not been, at the time it was to go.
          const dueAt = word === 'fire' ? cell.dueAt : goesBy(cell);
          expect(done(atHandOff(campaign, cell, dueAt)), JSON.stringify({ campaign, cell })).toBe(planned);
          seen.set(word, (seen.get(word) ?? 0) + 1);
        }
      }),
      { numRuns: 500 },
    );
    expect([...seen.keys()].toSorted()).toEqual(['DEADLINE', 'NIGHT', 'QUIET_HOURS', 'expired', 'fire']);
  });
});

/** The time of a cell before the windows deferred it. */
function goesBy({ passed, intendedAt }: PlannedCell): number {
  return 'to' in passed ? passed.to : intendedAt;
}

describe('lateness at planning (planning.md §4)', () => {
  const late = (minutes: number, policy: Partial<Policy> = {}): string[] => {
    const at = Date.parse('2027-03-01T10:00Z');
    return outcomes(
      aPlan(aCampaign({ kind: 'instant', at }, { policy }), new Date(at + minutes * 60_000).toISOString()),
    );
  };
  it('sends what is late by no more than lateness.max, with the due it had', () => {
    expect(late(30)).toEqual(['Asia/Seoul 2027-03-01T10:00Z']);
  });
  it('expires what is later than that', () => {
    expect(late(31)).toEqual(['Asia/Seoul expired']);
  });
  it('sends it all the same where the policy says send', () => {
    expect(late(600, { lateness: { maxMs: 0, beyond: 'send' } })).toEqual(['Asia/Seoul 2027-03-01T10:00Z']);
  });
});

describe('what is late beyond its deadline', () => {
  const at = Date.parse('2027-03-01T10:00Z');
  const policy = {
    lateness: { maxMs: 0, beyond: 'send' },
    deadline: { months: 0, days: 0, ms: 3_600_000 },
  } as const;
  const late = (minutes: number): Plan =>
    aPlan(aCampaign({ kind: 'instant', at }, { policy }), new Date(at + minutes * 60_000).toISOString());

  it('is skipped as the check before send would skip it, whatever lateness says', () => {
    expect(outcomes(late(60))).toEqual(['Asia/Seoul 2027-03-01T10:00Z']);
    expect(outcomes(late(61))).toEqual(['Asia/Seoul DEADLINE']);
  });
});

describe('what is late and comes to lie in a window', () => {
  it('is judged by the clock at which it goes, not at which it was due', () => {
    const at = Date.parse('2027-03-01T11:45Z');
    const late = (night: Policy['night']): string[] =>
      outcomes(
        aPlan(
          aCampaign({ kind: 'instant', at }, { messageType: 'AD', policy: { night } }),
          '2027-03-01T12:05Z',
        ),
      );
    expect(late('skip')).toEqual(['Asia/Seoul NIGHT']);
    expect(late('defer')).toEqual(['Asia/Seoul 2027-03-01T23:00Z']);
    expect(late('consented')).toEqual(['Asia/Seoul 2027-03-01T11:45Z']);
  });
});
