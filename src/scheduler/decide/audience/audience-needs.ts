// Decides what planning must ask the push service about an audience (planning.md §2, sources 2 and 3), and how long the campaign
// waits for it. Pure; audience/ asks.
import type { Campaign } from '../plan/campaign.js';
import { DAY_MS, HOUR_MS, MINUTE_MS, parseLocal, type LocalMs } from '../../../zone-rules/civil.js';
import { noFacts, type Plan, type PlanningProject } from '../plan/plan-types.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { inlineRecipients } from './recipients.js';

/** Campaigns planned within this time share one count of registered offsets; a later one causes a new count. */
export const FRESH_CENSUS_MS = 10 * MINUTE_MS;
/** planning.md §2: look-ups end this long before the first due time. */
const LAST_LOOK_MS = 10 * MINUTE_MS;
/** No clock is ahead of UTC+14. */
const FIRST_CLOCK_MS = 14 * HOUR_MS;
/** Refusals that might not hold if recipients had other zones. */
const BY_ZONE = ['PASSED_ZONE', 'DST_GAP', 'DST_OVERLAP'];

/** Source 2: USER ids for which no zone was given, each once, in order. Empty where the recipient's clock does not count. */
export function idsWithoutZone(campaign: Campaign): string[] {
  const { delivery, audience } = campaign;
  if (delivery.kind !== 'recipient' || audience?.type !== 'USER') return [];
  const ids: string[] = [];
  for (const { userId, known } of inlineRecipients(campaign, noFacts)) {
    if (known === undefined) ids.push(userId);
  }
  return ids;
}

/** The users whose registered offsets are counted: those of one channel, or (null) of the whole service. */
interface Census {
  readonly channelName: string | null;
}

/** Source 3: undefined where it does not apply. For several channels, the whole service's offsets include those of each. */
export function censusOf(
  { delivery, audience }: Campaign,
  project: Pick<PlanningProject, 'extensions'>,
): Census | undefined {
  if (delivery.kind !== 'recipient' || audience === null || audience.type === 'USER') return undefined;
  if (!project.extensions.includes('target-timezone')) return undefined;
  const [channelName, ...others] = audience.type === 'CHANNEL' ? audience.to : [];
  return { channelName: channelName !== undefined && others.length === 0 ? channelName : null };
}

/**
 * When the campaign is planned at the latest, with whatever is known by then: ten minutes before the first due of the plan that
 * would be made now, or ten minutes before the earliest instant at which somebody of an unknown zone could be due. The result is
 * not later than now where the campaign should not wait at all.
 */
export function lastPollAt(plan: Plan, campaign: Campaign, now: EpochMs): EpochMs {
  if (plan.refusal !== undefined && !BY_ZONE.includes(plan.refusal.code)) return now;
  const { delivery } = campaign;
  if (delivery.kind !== 'recipient') return now;
  const recurs = delivery.recurrence !== undefined;
  const locals = recurs ? plan.occurrences.map(({ occurrence }) => occurrence) : [delivery.local];
  const possible = locals.flatMap((text) => earliestDue(parseLocal(text), now) ?? []);
  const first = plan.totals.firstDueAt;
  const earliest = Math.min(...possible, ...(first === null ? [] : [first]));
  return Number.isFinite(earliest) ? earliest - LAST_LOOK_MS : now;
}

/**
 * When the wall time comes first on a clock that will not have shown it yet ten minutes from now. Not specified (planning.md §2):
 * once the wall time is over in UTC+14, clocks are assumed to differ by whole hours. Undefined where it is over everywhere.
 */
function earliestDue(local: LocalMs | undefined, now: EpochMs): EpochMs | undefined {
  if (local === undefined) return undefined;
  const passed = Math.max(0, Math.floor((now + LAST_LOOK_MS - (local - FIRST_CLOCK_MS)) / HOUR_MS) + 1);
  const next = local - FIRST_CLOCK_MS + passed * HOUR_MS;
  return next > local + DAY_MS ? undefined : next;
}
