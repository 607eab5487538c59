// The facts from which the plans of campaigns are made: of their audiences, their projects, and how far they have been planned. The
// planner and the preview of a revision read them by the same functions. Only reads, except the ids of a list, which are laid down.
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import { keepsPlaces, revisionChange } from '../decide/lifecycle/revision.js';
import type { Campaign } from '../decide/plan/campaign.js';
import type { PlanningProject } from '../decide/plan/plan-types.js';
import { lookupsOf, type Lookup } from '../store/audience-lookup.store.js';
import type { NamesAsked } from '../store/gateway-name.store.js';
import { previewedAt } from './changed-plan.js';
import { knownAudience, namesAsked, type KnownAudience } from './known-audience.js';
import { listedFacts } from './listed-facts.js';
import { planningFacts, type PlanJob } from './make-plan.js';
import type { CampaignToPlan } from './plan.store.js';
import { knownPlaces, withMaxTo } from './revise/known-places.js';
import { readPlaces } from './revise/placed-recipients.store.js';
import { takenMinutes } from './taken-minutes.store.js';

/** `lookupMax`: the most USER ids looked up for one campaign; 0: the gateway is not asked about anything. */
export type PlannableProject = PlanningProject & { readonly lookupMax: number };

export interface PlanJobDeps {
  readonly clock: Clock;
  readonly projects: {
    getMany(serviceIds: readonly string[]): Promise<ReadonlyMap<string, PlannableProject>>;
  };
  /** How long a registered offset counts as known. */
  readonly offsetCacheMs: number;
  /** MAX_PLANNED_CELLS [its default]. */
  readonly mostCells?: number | undefined;
  /** PLAN_AHEAD_HOURS in milliseconds [its default]. */
  readonly planAheadMs?: number | undefined;
}

/** A campaign with all the facts that its plan is made from. */
export interface ReadJob {
  readonly one: CampaignToPlan;
  readonly job: PlanJob;
  readonly project: PlannableProject;
  readonly known: KnownAudience;
  readonly lookup: Lookup | undefined;
}

/** In the order of `waiting`. `atMost`: recurrences only, the most occurrences to plan. */
export async function readJobs(
  sql: Sql,
  deps: PlanJobDeps,
  waiting: readonly CampaignToPlan[],
  atMost?: number,
): Promise<ReadJob[]> {
  const { clock, projects, offsetCacheMs, mostCells, planAheadMs } = deps;
  const lookups = await lookupsOf(sql, idsOf(waiting));
  const projectOf = await projects.getMany([...new Set(waiting.map((one) => one.serviceId))]);
  const now = clock.now();
  const paced = waiting.filter(({ data }) => data !== null && data.policy.pace !== null);
  const taken = await takenMinutes(sql, idsOf(paced), now);
  const asked = waiting.map(({ id, serviceId, data: campaign }) => {
    return { serviceId, campaign, lookedUpSince: lookups.get(id)?.openedAt };
  });
  const names = await namesAsked(sql, asked, now);
  const all: ReadJob[] = [];
  for (const [index, one] of waiting.entries()) {
    const { id, revision, data: campaign } = one;
    const project = projectOf.get(one.serviceId);
    if (campaign === null) throw new Error(`revision ${revision} of the campaign is missing`);
    if (project === undefined) throw new Error(`its push project ${one.serviceId} is missing`);
    const lookup = lookups.get(id);
    const places =
      one.before !== null && keepsPlaces(one.before, campaign) ? await readPlaces(sql, id) : undefined;
    const known =
      places === undefined
        ? await knownAudience(sql, {
            campaign,
            project,
            now,
            offsetCacheMs,
            lookedUpSince: lookup?.openedAt,
            names: names[index] ?? NO_NAMES,
          })
        : knownPlaces(places);
    const after = one.after ?? undefined;
    const lookedAt = after === undefined ? await previewedAt(sql, campaign, now) : undefined;
    const job: PlanJob = {
      id,
      revision,
      campaign,
      project: planningFacts(places === undefined ? project : withMaxTo(project, places)),
      audience: known.facts,
      now,
      after,
      lookedAt,
      aheadMs: planAheadMs,
      atMost,
      mostCells,
      leftOut: new Set(one.canceled),
      resumedAt: one.resumedAt ?? undefined,
      taken: taken(id),
      isTaken: true,
      withTest: testsIt(one, campaign),
      want: 'rows',
    };
    all.push({ one, job, project, known, lookup });
  }
  return all;
}

/** Where it goes to a list: with what is known of its ids, which are laid down for its sends under `lay`. */
export async function withList(
  sql: Sql,
  { offsetCacheMs }: Pick<PlanJobDeps, 'offsetCacheMs'>,
  read: ReadJob,
  lay: string,
): Promise<ReadJob> {
  const { job, known, lookup } = read;
  const { campaign, now } = job;
  if (known.facts.placed !== undefined) return read;
  const since = Math.min(now - offsetCacheMs, lookup?.openedAt ?? now);
  const listed = await listedFacts(sql, { campaign, since, now }, { lay });
  if (listed === undefined) return read;
  const facts = { ...known.facts, ...listed };
  return { ...read, known: { ...known, facts }, job: { ...job, audience: facts } };
}

/** A test is sent with the first plan of a revision that changes the message, and not once more when it is approved. */
function testsIt({ state, before, plan }: CampaignToPlan, campaign: Campaign): boolean {
  if (before === null) return state === 'planning';
  return plan === null && revisionChange(before, campaign).message;
}

const NO_NAMES: NamesAsked = { unknown: [], unasked: [] };

function idsOf(rows: readonly { readonly id: string }[]): string[] {
  return rows.map(({ id }) => id);
}
