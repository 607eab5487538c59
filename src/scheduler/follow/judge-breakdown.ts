// What the pages of a breakdown come to (reports.md, "What a breakdown reports"): told, to be asked for again, or never to be
// told. Pure. A breakdown is told only if it adds up to the result of its send.
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import type { BreakdownPart } from '../push-client/answers/read-breakdown.js';
import { NOT_TOLD, type DueBreakdown, type ToldPart } from '../store/rollup/breakdown.store.js';

const FIRST_GAP_MS = 60_000;
const LONGEST_GAP_MS = 6 * 3_600_000;
/** How often a breakdown is asked for whose sum differs from the result. */
const MOST_DIFFERING = 3;

export type HeardBreakdown =
  | { readonly kind: 'parts'; readonly parts: readonly BreakdownPart[] }
  | { readonly kind: 'gone' }
  | { readonly kind: 'unread' }
  | { readonly kind: 'too-long' };

export type JudgedBreakdown =
  | { readonly kind: 'ended'; readonly told: readonly ToldPart[] }
  | { readonly kind: 'again'; readonly code: AgainCode; readonly nextAt: EpochMs };
type AgainCode = 'UNREAD' | 'PENDING' | 'DIFFERS';

export function judgeBreakdown(due: DueBreakdown, heard: HeardBreakdown, now: EpochMs): JudgedBreakdown {
  const again = (code: AgainCode): JudgedBreakdown => {
    const gapMs = Math.min(FIRST_GAP_MS * 2 ** due.asked, LONGEST_GAP_MS);
    return { kind: 'again', code, nextAt: now + gapMs };
  };
  const never = (reason: string): JudgedBreakdown => ({
    kind: 'ended',
    told: notTold(due.target, reason),
  });
  if (heard.kind === 'unread') return again('UNREAD');
  if (heard.kind === 'gone') return never('GONE');
  if (heard.kind === 'too-long') return never('TOO_LONG');
  const told = addedUp(heard.parts);
  const devices = (...outcomes: readonly string[]): number =>
    told.reduce((sum, part) => sum + (outcomes.includes(part.outcome) ? part.devices : 0), 0);
  if (devices('pending') > 0) return again('PENDING');
  const fits = devices('sent') === due.sent && devices('sent', 'failed', 'unknown') === due.target;
  if (fits) return { kind: 'ended', told };
  if (due.asked + 1 < MOST_DIFFERING) return again('DIFFERS');
  return never('DIFFERS');
}

/** The devices of a send about which nothing is told, and why. */
function notTold(devices: number, reason: string): ToldPart[] {
  if (devices === 0) return [];
  return [{ device_type: 'all', country: 'all', language: 'all', outcome: NOT_TOLD, reason, devices }];
}

/** One part for each kind of device. */
function addedUp(parts: readonly BreakdownPart[]): ToldPart[] {
  const sums = new Map<string, ToldPart>();
  for (const { deviceType, country, language, outcome, reason, count } of parts) {
    const key = JSON.stringify([deviceType, country, language, outcome, reason]);
    const devices = (sums.get(key)?.devices ?? 0) + count;
    if (devices > 0) sums.set(key, { device_type: deviceType, country, language, outcome, reason, devices });
  }
  return [...sums.values()];
}
