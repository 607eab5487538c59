import { describe, expect, it } from 'vitest';
import { aCampaign, aPlan, everybody, iso, onlyCell } from '../../../../test/support/planning/planning.js';
import type { AudienceGroups } from '../audience/audience-groups.js';
import type { Group } from '../audience/recipient-group.js';
import { planTotals } from './plan-totals.js';
import { noFacts, type ChunkRun, type PlannedCell } from './plan-types.js';

const at = Date.parse('2027-03-01T09:00Z');
const MINUTE = 60_000;

/** A cell of ten requests at nine. */
const aCell = (overrides: Partial<PlannedCell> = {}): PlannedCell => ({
  ...onlyCell(aPlan(aCampaign({ kind: 'instant', at }), '2027-03-01T00:00Z')),
  chunks: 10,
  runs: [aRun({ count: 10 })],
  ...overrides,
});
const aRun = (overrides: Partial<ChunkRun> = {}): ChunkRun => ({
  first: 0,
  count: 1,
  dueAt: at,
  stepMs: 0,
  perStep: 1,
  ...overrides,
});
const anAudience = (groups: readonly Partial<Group>[] = []): AudienceGroups => ({
  groups: groups.map((group) => ({
    zone: 'Asia/Seoul',
    zoneSource: 'given',
    segment: 0,
    audience: everybody,
    ...group,
  })),
  warnings: [],
  duplicates: 0,
  invalidZones: {},
});

const totals = (cells: readonly PlannedCell[], audience = anAudience(), drainedAt: number | null = null) =>
  planTotals(noFacts, audience, cells, drainedAt);

describe('the totals of a plan (planning.md §9)', () => {
  it('are naught of nothing, with no due', () => {
    expect(totals([])).toEqual({
      cells: 0,
      requests: 0,
      skippedRequests: 0,
      expiredRequests: 0,
      recipients: 0,
      duplicates: 0,
      fallbackRecipients: 0,
      invalidZones: {},
      provisional: 0,
      firstDueAt: null,
      lastDueAt: null,
      expectedEndAt: null,
    });
  });

  it('count requests by what becomes of them: late cells whole, skipped ones run by run', () => {
    const skipped = aCell({ skipped: 'NIGHT', runs: [aRun({ count: 10, skipped: 'NIGHT' })] });
    const inPart = aCell({ runs: [aRun({ count: 7 }), aRun({ first: 7, count: 3, skipped: 'DEADLINE' })] });
    const late = aCell({ expired: { lateMs: 1 } });
    expect(totals([aCell(), skipped, inPart, late])).toMatchObject({
      cells: 4,
      requests: 40,
      skippedRequests: 13,
      expiredRequests: 10,
    });
  });

  it('count a request that is late and left out once, as late', () => {
    const both = aCell({ expired: { lateMs: 1 }, runs: [aRun({ count: 10, skipped: 'NIGHT' })] });
    expect(totals([both])).toMatchObject({ requests: 10, skippedRequests: 0, expiredRequests: 10 });
  });

  it('name the first and the last due of what leaves, and of nothing else', () => {
    const due = (minutes: number, overrides: Partial<PlannedCell> = {}): PlannedCell =>
      aCell({ dueAt: at + minutes * MINUTE, lastDueAt: at + (minutes + 5) * MINUTE, ...overrides });
    const { firstDueAt, lastDueAt } = totals([
      due(-60, { skipped: 'NIGHT' }),
      due(20),
      due(10),
      due(60, { expired: { lateMs: 1 } }),
    ]);
    expect([iso(firstDueAt ?? 0), iso(lastDueAt ?? 0)]).toEqual(['2027-03-01T09:10Z', '2027-03-01T09:25Z']);
  });

  it.each([
    ['the last due', null, at],
    ['the last due, where the rate lets all through before it', at - 1, at],
    ['when the rate has let all through', at + 1, at + 1],
  ])('expect the end at %s', (_what, drainedAt, expected) => {
    expect(totals([aCell()], anAudience(), drainedAt).expectedEndAt).toBe(expected);
    expect(totals([aCell({ skipped: 'NIGHT' })], anAudience(), drainedAt).expectedEndAt).toBeNull();
  });

  it('count recipients, those of the fallback apart, and never guess', () => {
    const known = anAudience([
      { recipients: 3 },
      { recipients: 4, zoneSource: 'fallback' },
      { recipients: 5, zoneSource: 'fallback' },
    ]);
    expect(totals([], known)).toMatchObject({ recipients: 12, fallbackRecipients: 9 });
    expect(totals([], anAudience([{ recipients: 3 }, { zoneSource: 'country' }]))).toMatchObject({
      recipients: null,
      fallbackRecipients: 0,
    });
    expect(totals([], anAudience([{ recipients: 3 }, { zoneSource: 'fallback' }]))).toMatchObject({
      recipients: null,
      fallbackRecipients: null,
    });
  });

  it('hand on what was found out of the audience', () => {
    const audience = { ...anAudience(), duplicates: 2, invalidZones: { 'Mars/Base': 3 } };
    expect(planTotals({ ...noFacts, provisional: 4 }, audience, [], null)).toMatchObject({
      duplicates: 2,
      invalidZones: { 'Mars/Base': 3 },
      provisional: 4,
    });
  });
});
