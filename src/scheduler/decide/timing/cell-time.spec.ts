// The judgement of a cell at planning and the check before send are two pieces of code: over random campaigns, times and
// policies they must say the same, or a preview would tell what is not then done.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  aCampaign,
  aPlan,
  aProject,
  cellsOf,
  knowing,
  rules,
  users,
} from '../../../../test/support/planning.js';
import { checkBeforeSend, type SendCheck } from '../../dispatch/check-before-send.js';
import type { Campaign, Delivery } from '../plan/campaign.js';
import { formatLocal, HOUR_MS, MINUTE_MS } from '../../../zone-rules/civil.js';
import type { PlannedCell } from '../plan/plan-types.js';
import { requireZoneTable } from '../audience/zone-by-name.js';

const NOW = Date.parse('2027-03-13T17:00Z');
const zones = { anna: 'Asia/Seoul', ben: 'America/New_York', carl: 'Europe/London' };

const minute = fc.integer({ min: 0, max: 24 * 60 - 1 });
const hours = (...of: number[]) => fc.constantFrom(...of).map((length) => length * HOUR_MS);
const policy = fc.record({
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
  .record({ delivery, policy, messageType: fc.constantFrom('AD', 'NOTIF') })
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
function done(check: SendCheck): string {
  return check.kind === 'skipped'
    ? check.code
    : check.kind === 'fire'
      ? `fire ${check.dueAt ?? ''}`
      : check.kind;
}

describe('what is previewed of a cell', () => {
  it('is what its check before send says', () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(campaigns, (campaign) => {
        const plan = aPlan(campaign, new Date(NOW).toISOString(), { audience: knowing(zones) });
        for (const cell of cellsOf(plan)) {
          const planned = foretold(cell);
          const [word = ''] = planned.split(' ');
          // What was left out before any window was asked is not checked before it is sent.
          if (['PASSED_ZONE', 'DST_GAP'].includes(word)) continue;
          // Left out: checked as if it had not been, at the time it was to go.
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
