// Plans campaigns that are due for planning: loads their facts, calls decide/, and writes cells and sends. Each campaign is
// written in one transaction, so that after a crash it is planned again, once. Never calls the push service: a campaign whose
// recipients have to be looked up first is left to audience/ for a while.
import { setImmediate as othersFirst } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.js';
import type { Database, Sql } from '../../platform/database/database.js';
import { isDatabaseAway } from '../../platform/database/database-away.js';
import { storable } from '../../platform/http/storable-text.js';
import { asError } from '../../platform/logging/error-code.js';
import type { FullReads } from '../../platform/loops/full-reads.js';
import type { Log } from '../../platform/logging/log.js';
import { NO_SPAN, NO_TRACING, type Span, type Tracing } from '../../platform/tracing/tracing.js';
import { NAMES_WAIT_MS } from '../decide/audience/gateway-names.js';
import { lastPollAt } from '../decide/audience/audience-needs.js';
import { PLANNING_TRIES } from '../decide/lifecycle/planning-tries.js';
import type { PlanInput, PlanningProject, PlanProblem } from '../decide/plan/plan-types.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import { closeLookups, lookupsOf, openLookups, type Lookup } from '../store/audience-lookup.store.js';
import { CHANNELS } from '../store/channels.js';
import type { NamesAsked } from '../store/gateway-name.store.js';
import {
  insertCells,
  insertOccurrences,
  insertSends,
  type SendRow,
} from '../store/send/planned-rows.store.js';
import { takenMinutes } from './taken-minutes.store.js';
import { traceOfCampaign } from '../store/trace.store.js';
import {
  lockToPlan,
  markPlanned,
  markRefused,
  notePlanningFault,
  readToPlan,
  uncountTries,
  type CampaignToPlan,
  type ClaimedToPlan,
  type PlannedCampaign,
} from './plan.store.js';
import { ClaimDue } from './claim-due.js';
import { giveUpPlanning } from './give-up-planning.js';
import { changedPlan, planChanged, previewedAt } from './changed-plan.js';
import { knownAudience, namesAsked, type KnownAudience } from './known-audience.js';
import { planFrom, type PlannedFrom } from './plan-from.js';
import { cellRows, occurrenceRows, sendRows } from './plan-rows.js';
import type { PlanView } from '../store/read/plan-view.js';
import { shownPlan } from './shown-plan.js';

/** The author named in history rows. */
const BY = 'plan';

/** What one round claims. An event may be 1 MiB, of which some hundred KiB are stored: this bounds what a round holds. */
const CLAIM_LIMIT = { campaigns: 500, bytes: 1024 * 1024 };

/** After this many campaigns, some milliseconds, other work of the process gets a turn: sends may be due. */
const OTHERS_AFTER = 32;

/** The most that one statement writes: cells; sends; ids in sends. */
const FLUSH_CELLS = 5_000;
const FLUSH_SENDS = 2_000;
const FLUSH_IDS = 50_000;

interface PlanDueParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** [off] */
  readonly tracing?: Tracing;
  readonly rules: ZoneRules;
  readonly projects: {
    getMany(serviceIds: readonly string[]): Promise<ReadonlyMap<string, PlannableProject>>;
  };
  /** How long a registered offset counts as known. */
  readonly offsetCacheMs: number;
  /** MAX_PLANNED_CELLS [its default]. */
  readonly mostCells?: number | undefined;
  /** When the campaigns to plan are read from the start again. */
  readonly fullReads?: FullReads;
  /** Called when a planning was given up for good. */
  readonly givenUp?: () => void;
  /** Called when a round left campaigns unclaimed: another one may run beside it. */
  readonly more?: () => void;
}

/** `lookupMax`: the most USER ids looked up for one campaign; 0: the gateway is not asked about anything. */
type PlannableProject = PlanningProject & { readonly lookupMax: number };

/** What a round knows about one of its campaigns. */
interface FactsToPlan extends Pick<PlanInput, 'now' | 'taken' | 'atMost'> {
  readonly project: PlannableProject | undefined;
  readonly lookup: Lookup | undefined;
  readonly names: NamesAsked;
}

/** What became of a campaign in a round. */
type Planning =
  | { readonly became: 'planned'; readonly from: PlannedFrom }
  | { readonly became: 'rejected'; readonly refusal: PlanProblem }
  | { readonly became: 'waits for look-ups'; readonly giveUpAt: number };

export class PlanDue {
  /** Campaigns whose try failed because the database was unavailable. */
  readonly #uncounted = new Set<string>();
  readonly #claims: ClaimDue;

  constructor(private readonly parts: PlanDueParts) {
    this.#claims = new ClaimDue({ ...parts, by: BY, limit: CLAIM_LIMIT });
  }

  /** One round. Returns how many campaigns it claimed, including those that failed and will be tried again later. */
  async runOnce(): Promise<number> {
    const { database, clock } = this.parts;
    if (this.#uncounted.size > 0) await uncountTries(database, [...this.#uncounted], clock.now());
    this.#uncounted.clear();
    const { claimed, isAll } = await this.#claims.claim();
    if (!isAll) this.parts.more?.();
    const open = new Map(claimed.map((one) => [one.id, one]));
    try {
      await this.#planAll(open);
    } catch (error) {
      if (isDatabaseAway(error)) for (const id of open.keys()) this.#uncounted.add(id);
      throw error;
    }
    return claimed.length;
  }

  /** Takes out of `open` what needs nothing more in this round: planned, to be tried later, or given up. */
  async #planAll(open: Map<string, ClaimedToPlan>): Promise<void> {
    for (const { id, tries } of open.values()) {
      if (tries <= PLANNING_TRIES) continue;
      // Every one of its tries ended with the death of its process.
      await this.#giveUp(id, 'no try came to an end');
      open.delete(id);
    }
    if (open.size === 0) return;
    try {
      await this.#planTogether([...open.keys()]);
      open.clear();
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      // One of them may be the cause, so each is planned on its own.
      const only = open.size === 1;
      for (const one of open.values()) {
        const fault = only ? asError(error) : await this.#planAlone(one.id);
        if (fault !== undefined) await this.#noteFault(one, fault);
        open.delete(one.id);
      }
    }
  }

  async #planTogether(ids: readonly string[], atMost?: number): Promise<void> {
    const { database, clock, projects } = this.parts;
    const done: (Planning & { readonly one: CampaignToPlan; readonly span: Span })[] = [];
    await database.transaction(async (sql) => {
      const waiting = await readToPlan(sql, await lockToPlan(sql, ids));
      const lookups = await lookupsOf(sql, idsOf(waiting));
      const known = await projects.getMany([...new Set(waiting.map((one) => one.serviceId))]);
      const now = clock.now();
      const paced = waiting.filter(({ data }) => data !== null && data.policy.pace !== null);
      const taken = await takenMinutes(sql, idsOf(paced), now);
      const asked = waiting.map(({ id, serviceId, data: campaign }) => {
        return { serviceId, campaign, lookedUpSince: lookups.get(id)?.openedAt };
      });
      const names = await namesAsked(sql, asked, now);
      for (const [index, one] of waiting.entries()) {
        if (index % OTHERS_AFTER === OTHERS_AFTER - 1) await othersFirst();
        const span = this.#begin(one);
        const planning = await this.#planOne(sql, one, {
          project: known.get(one.serviceId),
          lookup: lookups.get(one.id),
          names: names[index] ?? { unknown: [], unasked: [] },
          taken: taken(one.id),
          atMost,
          now,
        });
        done.push({ ...planning, one, span });
      }
      const planned = done.flatMap((each) => (each.became === 'planned' ? [each] : []));
      const plans = planned.map(({ from }) => from);
      await insertPlans(sql, plans, now);
      await markPlanned(sql, planned.map(plannedRow), now, BY);
      const refused = done.flatMap(({ one: { id, revision }, ...each }) =>
        each.became === 'rejected' ? [{ id, revision, reasons: [each.refusal] }] : [],
      );
      await markRefused(sql, refused, now, BY);
      const opened = done.flatMap(({ one: { id: campaign, serviceId }, ...each }) =>
        each.became === 'waits for look-ups' ? [{ campaign, serviceId, giveUpAt: each.giveUpAt }] : [],
      );
      await openLookups(sql, opened, now);
      const decided = done.filter(({ became }) => became !== 'waits for look-ups').map(({ one }) => one.id);
      const closed = decided.filter((id) => lookups.has(id));
      await closeLookups(sql, closed);
      await sql.query('select pg_notify($1, $3), pg_notify($2, $3)', [CHANNELS.dispatch, CHANNELS.close, '']);
    });
    // After the commit: a span of what was rolled back never ends, and so is not exported.
    const { log } = this.parts;
    for (const { one, span, ...planning } of done) {
      const { became } = planning;
      span.end({ 'carillon.became': became }, became === 'rejected' ? planning.refusal.code : undefined);
      if (log.isLevelEnabled('debug'))
        log.debug({ campaign: one.id, became, trace: span.context }, 'a campaign was looked at');
    }
  }

  #begin({ id, serviceId, trace }: CampaignToPlan): Span {
    if (trace === null) return NO_SPAN;
    const facts = { 'carillon.campaign.id': id, 'carillon.service.id': serviceId };
    const { tracing = NO_TRACING } = this.parts;
    return tracing.begin({ name: 'campaign planned', kind: 'internal', parent: trace, facts });
  }

  async #planOne(sql: Sql, one: CampaignToPlan, facts: FactsToPlan): Promise<Planning> {
    const { id, revision, data: campaign } = one;
    const { project, lookup, names, taken, atMost, now } = facts;
    if (campaign === null) throw new Error(`revision ${revision} of the campaign is missing`);
    if (project === undefined) throw new Error(`its push project ${one.serviceId} is missing`);
    const { rules, offsetCacheMs, mostCells } = this.parts;
    const lookedUpSince = lookup?.openedAt;
    const question = { campaign, project, now, offsetCacheMs, lookedUpSince, names };
    const known = await knownAudience(sql, question);
    const after = one.after ?? undefined;
    const lookedAt = after === undefined ? await previewedAt(sql, campaign, now) : undefined;
    const leftOut = new Set(one.canceled);
    const recurrence = { taken, leftOut, atMost, mostCells, after, lookedAt };
    const audience = known.facts;
    const isTaken = true;
    const from = planFrom({ id, revision, campaign, project, audience, rules, now, isTaken, ...recurrence });
    const giveUpAt = waitsUntil(from, known, project, lookup);
    if (giveUpAt !== undefined) return { became: 'waits for look-ups', giveUpAt };
    const { refusal } = from.plan;
    if (one.state !== 'planning') {
      // It is too late to refuse a recurrence that goes on: what can no longer be planned is a fault to be shown.
      if (refusal !== undefined) throw new Error(`${refusal.code}: ${refusal.text}`);
      return { became: 'planned', from };
    }
    if (refusal !== undefined) return { became: 'rejected', refusal };
    const changed = await changedPlan(sql, from);
    return changed === undefined
      ? { became: 'planned', from }
      : { became: 'rejected', refusal: planChanged(changed) };
  }

  /** Returns the error it failed with; throws where the database is unavailable. */
  async #planAlone(id: string, atMost?: number): Promise<Error | undefined> {
    try {
      await this.#planTogether([id], atMost);
      return undefined;
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      return asError(error);
    }
  }

  async #noteFault({ id: campaign, tries }: ClaimedToPlan, error: Error): Promise<void> {
    const detail = storable(error.message, 500);
    if (tries < PLANNING_TRIES) {
      this.parts.log.error(
        { campaign, tries, err: error, trace: await traceOfCampaign(this.parts.database, campaign) },
        'a campaign could not be planned; it will be tried again',
      );
      await notePlanningFault(this.parts.database, { campaign, detail });
      return;
    }
    // In a recurrence a later occurrence may be the cause: then the next one can be planned on its own.
    const fault = await this.#planAlone(campaign, 1);
    if (fault !== undefined) await this.#giveUp(campaign, storable(fault.message, 500));
  }

  async #giveUp(campaign: string, why: string): Promise<void> {
    const { database, clock, rules, log, givenUp } = this.parts;
    const detail = `tried ${PLANNING_TRIES} times: ${why}`;
    const given = await database.transaction((sql) =>
      giveUpPlanning(sql, { campaign, detail, rules, now: clock.now(), by: BY }),
    );
    if (given === undefined) return;
    const trace = await traceOfCampaign(database, campaign);
    log.error({ campaign, ...given, why, trace }, 'a planning failed too often and was given up');
    givenUp?.();
  }
}

/** Sends are made one by one as they are written, so that of a large campaign only those of one statement are in memory. */
async function insertPlans(sql: Sql, plans: readonly PlannedFrom[], now: number): Promise<void> {
  await insertOccurrences(sql, plans.flatMap(occurrenceRows), now);
  const cells = plans.flatMap(cellRows);
  for (let first = 0; first < cells.length; first += FLUSH_CELLS) {
    await insertCells(sql, cells.slice(first, first + FLUSH_CELLS));
  }
  let sends: SendRow[] = [];
  let ids = 0;
  for (const from of plans) {
    for (const send of sendRows(from)) {
      sends.push(send);
      ids += send.recipients?.length ?? 0;
      if (sends.length < FLUSH_SENDS && ids < FLUSH_IDS) continue;
      await insertSends(sql, sends, now, BY);
      sends = [];
      ids = 0;
    }
  }
  await insertSends(sql, sends, now, BY);
}

function plannedRow({
  one,
  from: { plan },
}: {
  readonly one: CampaignToPlan;
  readonly from: PlannedFrom;
}): PlannedCampaign {
  const { id, revision, state } = one;
  const shown = shownPlan(plan, (one.plan as PlanView | null)?.cells);
  return { id, revision, plan: shown, planAt: plan.nextLookAt ?? null, goesOn: state !== 'planning' };
}

function idsOf(rows: readonly { readonly id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

/**
 * Until when the campaign waits for look-ups; undefined where it is planned now. A campaign that names a planHash never
 * waits: it runs what was previewed, and a preview looks nothing up (planning.md §9).
 */
function waitsUntil(
  { plan, campaign, now, after }: PlannedFrom,
  { facts, unaskedNames, censusMissing }: KnownAudience,
  project: PlannableProject,
  lookup: Lookup | undefined,
): number | undefined {
  if (campaign.planHash !== undefined || lookup?.done === true) return undefined;
  const asks = project.lookupMax > 0;
  // A recurrence that goes on had its names asked about before.
  const mayAskNames = unaskedNames && after === undefined && plan.refusal === undefined;
  const waits: number[] = [];
  if ((asks && facts.provisional > 0) || censusMissing) waits.push(lastPollAt(plan, campaign, now));
  if (asks && mayAskNames) waits.push(now + NAMES_WAIT_MS);
  if (waits.length === 0) return undefined;
  const giveUpAt = lookup?.giveUpAt ?? Math.max(...waits);
  return giveUpAt > now ? giveUpAt : undefined;
}
