// Judges the pages of a breakdown (reports.md, "What a breakdown reports"). It is used only if it adds up to the result of its send;
// otherwise it is asked for again or given up. Pure.
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import type { BreakdownGroup, NamedIds } from '../push-client/answers/read-breakdown.js';
import { type DueBreakdown } from '../store/rollup/breakdown.store.js';
import { NOT_REPORTED, type ReportedGroup } from '../store/rollup/reported-group.js';

const FIRST_GAP_MS = 60_000;
const LONGEST_GAP_MS = 6 * 3_600_000;
/** A breakdown whose sum differs from the result is asked for this often. */
const MOST_DIFFERING = 3;

export type BreakdownAnswer =
  | {
      readonly kind: 'groups';
      readonly groups: readonly BreakdownGroup[];
      readonly ids: NamedIds | null;
    }
  | { readonly kind: 'gone' }
  | { readonly kind: 'unread' }
  | { readonly kind: 'too-long' };

export type JudgedBreakdown =
  | { readonly kind: 'ended'; readonly reported: readonly ReportedGroup[] }
  | { readonly kind: 'again'; readonly code: AgainCode; readonly nextAt: EpochMs };
type AgainCode = 'UNREAD' | 'PENDING' | 'DIFFERS';

export function judgeBreakdown(due: DueBreakdown, answer: BreakdownAnswer, now: EpochMs): JudgedBreakdown {
  const again = (code: AgainCode): JudgedBreakdown => {
    const gapMs = Math.min(FIRST_GAP_MS * 2 ** due.asked, LONGEST_GAP_MS);
    return { kind: 'again', code, nextAt: now + gapMs };
  };
  const never = (reason: string): JudgedBreakdown => ({
    kind: 'ended',
    reported: notReported(due.target, reason),
  });
  if (answer.kind === 'unread') return again('UNREAD');
  if (answer.kind === 'gone') return never('GONE');
  if (answer.kind === 'too-long') return never('TOO_LONG');
  const reported = addedUp(answer.groups);
  const devices = (...outcomes: readonly string[]): number =>
    reported.reduce((sum, group) => sum + (outcomes.includes(group.outcome) ? group.devices : 0), 0);
  if (devices('pending') > 0) return again('PENDING');
  const fits = devices('sent') === due.sent && devices('sent', 'failed', 'unknown') === due.target;
  if (fits) return { kind: 'ended', reported: [...reported, ...told(due, answer.ids)] };
  if (due.asked + 1 < MOST_DIFFERING) return again('DIFFERS');
  return never('DIFFERS');
}

const ALL = { device_type: 'all', country: 'all', language: 'all' } as const;

/** All devices of a send in one group, as not reported. */
function notReported(devices: number, reason: string): ReportedGroup[] {
  if (devices === 0) return [];
  return [{ ...ALL, outcome: NOT_REPORTED, reason, devices }];
}

/**
 * What the breakdown says for the funnel of the campaign's report. The result alone says all of a send whose one id got it on all
 * devices, so the funnel knows such a send without its breakdown.
 */
function told({ recipients, target, sent }: DueBreakdown, ids: NamedIds | null): ReportedGroup[] {
  if (recipients === 1 && sent > 0 && sent === target) return [];
  const of = (outcome: ReportedGroup['outcome'], reason: string | null, devices: number): ReportedGroup[] =>
    devices === 0 ? [] : [{ ...ALL, outcome, reason, devices }];
  return [
    ...of('answered', null, 1),
    ...of('named', null, ids?.named ?? 0),
    ...of('absent', 'UNKNOWN_ID', ids?.unknown ?? 0),
    ...of('absent', 'NO_DEVICE', ids?.withoutDevice ?? 0),
  ];
}

/** One group for each kind of device: the push service keeps those of different offsets apart. */
function addedUp(groups: readonly BreakdownGroup[]): ReportedGroup[] {
  const sums = new Map<string, ReportedGroup>();
  for (const { deviceType, country, language, outcome, reason, count } of groups) {
    const key = JSON.stringify([deviceType, country, language, outcome, reason]);
    const devices = (sums.get(key)?.devices ?? 0) + count;
    if (devices > 0) sums.set(key, { device_type: deviceType, country, language, outcome, reason, devices });
  }
  return [...sums.values()];
}
