// What planning wants to know of an audience from the push service (planning.md §2, sources 2 and 3), and until when it
// is worth waiting for. Pure; who asks, and how, is the business of audience/.
import type { Campaign } from '../plan/campaign.js';
import { DAY_MS, HOUR_MS, MINUTE_MS, parseLocal } from '../../../zone-rules/civil.js';
import { noFacts, type Plan, type PlanningProject } from '../plan/plan-types.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { inlineRecipients } from './recipients.js';

/** Campaigns planned within this share one count of registered offsets; a later one counts anew. */
export const FRESH_CENSUS_MS = 10 * MINUTE_MS;
/** planning.md §2: nobody is looked up later than this before the first due. */
const LAST_LOOK_MS = 10 * MINUTE_MS;
/** UTC+14 is the first of all clocks. */
const FIRST_CLOCK_MS = 14 * HOUR_MS;
/** Refusals that other zones may lift. */
const BY_ZONE = ['PASSED_ZONE', 'DST_GAP', 'DST_OVERLAP'];

/** USER ids whose zone nobody gave, each once, in order: source 2. Empty where the recipient's clock does not count. */
export function idsWithoutZone(campaign: Campaign): string[] {
  const { delivery, audience } = campaign;
  if (delivery.kind !== 'recipient' || audience?.type !== 'USER') return [];
  const ids: string[] = [];
  for (const { userId, known } of inlineRecipients(campaign, noFacts))
    if (known === undefined) ids.push(userId);
  return ids;
}

/** Whose registered offsets are asked for: those of one channel, or (null) of the whole service. */
export interface Census {
  readonly channelName: string | null;
}

/** Source 3: undefined where it does not apply. Of several channels the service's offsets hold those of each. */
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
 * When the campaign is planned whatever is known by then, given its plan by what is known now; not later than now where
 * it should not wait at all. Not specified (planning.md §2): where nothing known is still due, those at the next full hour of UTC
 * offset may not wait.
 */
export function lastPollAt(plan: Plan, campaign: Campaign, now: EpochMs): EpochMs {
  if (plan.refusal !== undefined && !BY_ZONE.includes(plan.refusal.code)) return now;
  const first = plan.totals.firstDueAt;
  if (first !== null) return first - LAST_LOOK_MS;
  const local = campaign.delivery.kind === 'recipient' ? parseLocal(campaign.delivery.local) : undefined;
  if (local === undefined) return now;
  const passed = Math.max(0, Math.floor((now + LAST_LOOK_MS - (local - FIRST_CLOCK_MS)) / HOUR_MS) + 1);
  const next = local - FIRST_CLOCK_MS + passed * HOUR_MS;
  return next > local + DAY_MS ? now : next - LAST_LOOK_MS;
}
