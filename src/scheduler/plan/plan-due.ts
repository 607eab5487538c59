// Plans campaigns that wait for it: loads what they say, calls decide/, and writes cells and sends, all of a campaign
// in one transaction, so that a crash anywhere leaves it to be planned again, once. Never calls the push service: a
// campaign whose recipients have to be looked up first is left to audience/, for a while.
import { setImmediate as othersFirst } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.js';
import type { Database, Sql } from '../../platform/database/database.js';
import { isDatabaseAway } from '../../platform/database/database-away.js';
import { asError } from '../../platform/error-code.js';
import type { FullReads } from '../../platform/full-reads.js';
import type { Log } from '../../platform/log.js';
import { NO_SPAN, NO_TRACING, type Span, type Tracing } from '../../platform/tracing/tracing.js';
import { NAMES_WAIT_MS } from '../decide/audience/gateway-names.js';
import { lastPollAt } from '../decide/audience/audience-needs.js';
import { PLANNING_TRIES } from '../decide/lifecycle/planning-tries.js';
import type { PlanningProject, PlanProblem } from '../decide/plan/plan-types.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import {
  closeLookups,
  lookupsOf,
  openLookups,
  type Lookup,
  type OpenLookup,
} from '../store/audience-lookup.store.js';
import { CHANNELS } from '../store/channels.js';
import type { NamesAsked } from '../store/gateway-name.store.js';
import {
  insertCells,
  insertOccurrences,
  insertSends,
  type SendRow,
} from '../store/send/planned-rows.store.js';
import { takenMinutes } from '../store/send/read/taken-minutes.store.js';
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
  type RefusedCampaign,
} from './plan.store.js';
import { ClaimDue } from './claim-due.js';
import { giveUpPlanning } from './give-up-planning.js';
import { changedPlan, planChanged, previewedAt } from './changed-plan.js';
import { knownAudience, namesAsked, type KnownAudience } from './known-audience.js';
import { planFrom, type PlannedFrom } from './plan-from.js';
import { cellRows, occurrenceRows, sendRows } from './plan-rows.js';
import type { PlanView } from '../store/send/read/plan-view.js';
import { shownPlan } from './shown-plan.js';

/** As it stands in history rows. */
const BY = 'plan';

/** Claimed by one round. An event may be 1 MiB, of which stored are some hundred KiB: this bounds what a round holds. */
const CLAIM_LIMIT = { campaigns: 500, bytes: 1024 * 1024 };

/** After so many campaigns, some milliseconds, other work of the process goes in between: sends may be due. */
const OTHERS_AFTER = 32;

/** Written by one statement: cells; sends, or ids in them. */
const FLUSH_CELLS = 5_000;
const FLUSH_SENDS = 2_000;
const FLUSH_IDS = 50_000;

export interface PlanDueParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** [off] */
  readonly tracing?: Tracing;
  readonly rules: ZoneRules;
  readonly projects: {
    getMany(serviceIds: readonly string[]): Promise<ReadonlyMap<string, PlannableProject>>;
  };
  /** How long a registered offset is believed. */
  readonly offsetCacheMs: number;
  /** When what is to be planned is read from the start. */
  readonly fullReads?: FullReads;
  /** A planning was given up for good. */
  readonly givenUp?: () => void;
  /** A round left some unclaimed: another one may be made beside it. */
  readonly more?: () => void;
}

/** `lookupMax`: USER ids looked up for one campaign; 0 asks a gateway for nothing. */
type PlannableProject = PlanningProject & { readonly lookupMax: number };

/** What a round knows of one of its campaigns. */
interface FactsToPlan {
  readonly project: PlannableProject | undefined;
  readonly lookup: Lookup | undefined;
  readonly names: NamesAsked;
  /** Requests that earlier plans put on a minute. */
  readonly taken: ReadonlyMap<number, number>;
  /** Of a recurrence: no more occurrences than these. */
  readonly atMost: number | undefined;
}

/** What was made of a campaign, as its span and the log tell it. */
interface TracedPlanning {
  readonly id: string;
  readonly span: Span;
  readonly became: 'planned' | 'rejected' | 'waits for look-ups';
  readonly fault?: string;
}

export class PlanDue {
  /** Whose try the database's absence ended. */
  readonly #uncounted = new Set<string>();
  readonly #claims: ClaimDue;

  constructor(private readonly parts: PlanDueParts) {
    this.#claims = new ClaimDue({ ...parts, by: BY, limit: CLAIM_LIMIT });
  }

  /** One round. Returns how many campaigns it claimed, those it failed with included: they have been put off. */
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

  /** Takes out of `open` what is done with: planned, put off or given up. */
  async #planAll(open: Map<string, ClaimedToPlan>): Promise<void> {
    for (const { id, tries } of open.values()) {
      if (tries <= PLANNING_TRIES) continue;
      // Each of its tries ended with its process.
      await this.#giveUp(id, 'no try came to an end');
      open.delete(id);
    }
    if (open.size === 0) return;
    try {
      await this.#planTogether([...open.keys()]);
      open.clear();
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      // One of them may be the cause; alone, it fails alone.
      const only = open.size === 1;
      for (const one of open.values()) {
        const fault = only ? asError(error) : await this.#planAlone(one.id);
        if (fault !== undefined) await this.#noteFault(one, fault);
        open.delete(one.id);
      }
    }
  }

  async #planTogether(ids: readonly string[], atMost?: number): Promise<void> {
    const traced: TracedPlanning[] = [];
    await this.parts.database.transaction(async (sql) => {
      const waiting = await readToPlan(sql, await lockToPlan(sql, ids));
      const lookups = await lookupsOf(sql, idsOf(waiting));
      const projects = await this.parts.projects.getMany([...new Set(waiting.map((one) => one.serviceId))]);
      const decided: PlannedFrom[] = [];
      const planned: PlannedCampaign[] = [];
      const refused: RefusedCampaign[] = [];
      const unknown: OpenLookup[] = [];
      const now = this.parts.clock.now();
      const paced = waiting.filter(({ data }) => data !== null && data.policy.pace !== null);
      const taken = await takenMinutes(sql, idsOf(paced), now);
      const names = await namesAsked(
        sql,
        waiting.map(({ id, serviceId, data: campaign }) => ({
          serviceId,
          campaign,
          lookedUpSince: lookups.get(id)?.openedAt,
        })),
        now,
      );
      for (const [index, one] of waiting.entries()) {
        const { id, revision } = one;
        if (index % OTHERS_AFTER === OTHERS_AFTER - 1) await othersFirst();
        const span = this.#begin(one);
        const facts = {
          project: projects.get(one.serviceId),
          lookup: lookups.get(id),
          taken: taken(id),
          names: names[index] ?? { unknown: [], unasked: [] },
          atMost,
        };
        const { from, giveUpAt } = await this.#planOne(sql, one, facts, now);
        if (giveUpAt !== undefined) {
          unknown.push({ campaign: id, serviceId: one.serviceId, giveUpAt });
          traced.push({ id, span, became: 'waits for look-ups' });
          continue;
        }
        const goesOn = one.state !== 'planning';
        const refusal = goesOn ? from.plan.refusal : await this.#refusal(sql, from);
        // A recurrence that goes on is past refusing: what it cannot plan any more is a fault to be shown.
        if (refusal !== undefined && goesOn) throw new Error(`${refusal.code}: ${refusal.text}`);
        if (refusal !== undefined) {
          refused.push({ id, revision, reasons: [refusal] });
          traced.push({ id, span, became: 'rejected', fault: refusal.code });
          continue;
        }
        decided.push(from);
        const plan = shownPlan(from.plan, (one.plan as PlanView | null)?.cells);
        planned.push({ id, revision, plan, planAt: from.plan.nextLookAt ?? null, goesOn });
        traced.push({ id, span, became: 'planned' });
      }
      await insertPlans(sql, decided, now);
      await markPlanned(sql, planned, now, BY);
      await markRefused(sql, refused, now, BY);
      await openLookups(sql, unknown, now);
      await closeLookups(sql, idsOf([...planned, ...refused].filter(({ id }) => lookups.has(id))));
      await sql.query('select pg_notify($1, $3), pg_notify($2, $3)', [CHANNELS.dispatch, CHANNELS.close, '']);
    });
    this.#tell(traced);
  }

  #begin({ id, serviceId, trace }: CampaignToPlan): Span {
    if (trace === null) return NO_SPAN;
    const facts = { 'carillon.campaign.id': id, 'carillon.service.id': serviceId };
    const { tracing = NO_TRACING } = this.parts;
    return tracing.begin({ name: 'campaign planned', kind: 'internal', parent: trace, facts });
  }

  /** Once it is committed: a span of what was rolled back never ends, and so is none. */
  #tell(traced: readonly TracedPlanning[]): void {
    const { log } = this.parts;
    for (const { id, span, became, fault } of traced) {
      span.end({ 'carillon.became': became }, fault);
      if (log.isLevelEnabled('debug'))
        log.debug({ campaign: id, became, trace: span.context }, 'a campaign was looked at');
    }
  }

  /** The plan of one campaign, and until when that waits for look-ups. */
  async #planOne(
    sql: Sql,
    one: CampaignToPlan,
    { project, lookup, taken, names, atMost }: FactsToPlan,
    now: number,
  ): Promise<{ readonly from: PlannedFrom; readonly giveUpAt: number | undefined }> {
    const { id, serviceId, revision, data: campaign } = one;
    if (campaign === null) throw new Error(`revision ${revision} of the campaign is missing`);
    if (project === undefined) throw new Error(`its push project ${serviceId} is missing`);
    const { rules, offsetCacheMs } = this.parts;
    const lookedUpSince = lookup?.openedAt;
    const known = await knownAudience(sql, {
      serviceId,
      campaign,
      project,
      now,
      offsetCacheMs,
      lookedUpSince,
      names,
    });
    const after = one.after ?? undefined;
    const lookedAt = after === undefined ? await previewedAt(sql, campaign, now) : undefined;
    const before = { taken, leftOut: new Set(one.canceled), atMost, after, lookedAt };
    const audience = known.facts;
    const from = planFrom({ id, serviceId, revision, campaign, project, audience, rules, now, before });
    return { from, giveUpAt: waitsUntil(from, known, project, lookup) };
  }

  /** Why the campaign is not planned at all: it cannot be, or not as it was previewed. */
  async #refusal(sql: Sql, from: PlannedFrom): Promise<PlanProblem | undefined> {
    const { refusal } = from.plan;
    const changed = refusal === undefined ? await changedPlan(sql, from) : undefined;
    return changed === undefined ? refusal : planChanged(changed);
  }

  /** What it failed with; the database's absence is thrown. */
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
    const detail = error.message.slice(0, 500);
    if (tries < PLANNING_TRIES) {
      this.parts.log.error(
        { campaign, tries, err: error, trace: await traceOfCampaign(this.parts.database, campaign) },
        'a campaign could not be planned; it will be tried again',
      );
      await notePlanningFault(this.parts.database, { campaign, detail });
      return;
    }
    // Of a recurrence another of its occurrences may be the cause: its next one alone may be planned.
    const fault = await this.#planAlone(campaign, 1);
    if (fault !== undefined) await this.#giveUp(campaign, fault.message.slice(0, 500));
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

/** Sends are made one by one as they are written: of a large campaign no more than one statement's lie in memory. */
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

function idsOf(rows: readonly { readonly id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

/**
 * Until when the campaign waits for look-ups; undefined plans it now. One that names a planHash never waits: it runs
 * what was previewed, and a preview looks nothing up (planning.md §9).
 */
function waitsUntil(
  { plan, campaign, now, before }: PlannedFrom,
  known: KnownAudience,
  project: PlannableProject,
  lookup: Lookup | undefined,
): number | undefined {
  if (campaign.planHash !== undefined || lookup?.done === true) return undefined;
  const asks = project.lookupMax > 0;
  const waits: number[] = [];
  if ((asks && known.unknownIds > 0) || known.censusMissing) waits.push(lastPollAt(plan, campaign, now));
  if (asks && known.unaskedNames && mayAskNames(plan, before)) waits.push(now + NAMES_WAIT_MS);
  if (waits.length === 0) return undefined;
  const giveUpAt = lookup?.giveUpAt ?? Math.max(...waits);
  return giveUpAt > now ? giveUpAt : undefined;
}

/** Of a recurrence that goes on they were asked before. */
function mayAskNames(plan: PlannedFrom['plan'], before: PlannedFrom['before']): boolean {
  return before?.after === undefined && plan.refusal === undefined;
}
