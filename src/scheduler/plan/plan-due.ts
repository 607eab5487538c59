// Plans campaigns that wait for it: loads what they say, calls decide/, and writes cells and sends, all of a campaign
// in one transaction, so that a crash anywhere leaves it to be planned again, once. Never calls the push service: a
// campaign whose recipients have to be looked up first is left to audience/, for a while.
import type { Clock } from '../../platform/clock.js';
import { rowsOf, type Database, type Sql } from '../../platform/database.js';
import type { Log } from '../../platform/log.js';
import { lastLookAt } from '../decide/audience-needs.js';
import { noFacts, type PlanningProject, type PlanProblem } from '../decide/planned.js';
import type { ZoneRules } from '../decide/ports.js';
import {
  closeLookups,
  lookupsOf,
  openLookups,
  type Lookup,
  type OpenLookup,
} from '../store/audience-lookup.store.js';
import { CHANNELS } from '../store/channels.js';
import {
  insertCells,
  insertOccurrences,
  insertSends,
  type CellRow,
  type OccurrenceRow,
  type SendRow,
} from '../store/planned-rows.store.js';
import {
  claimToPlan,
  lockToPlan,
  markPlanned,
  markRefused,
  notePlanningFault,
  readToPlan,
  type CampaignToPlan,
  type PlannedCampaign,
  type RefusedCampaign,
} from '../store/plan.store.js';
import { takenMinutes } from '../store/paced-minutes.store.js';
import { changedPlan, planChanged, previewedAt } from './changed-plan.js';
import { knownAudience, type KnownAudience } from './known-audience.js';
import { planFrom, type PlannedFrom, type PlanOrder } from './plan-from.js';
import { cellRows, occurrenceRows, sendRows } from './plan-rows.js';
import { shownPlan, type ShownPlan } from './shown-plan.js';

/** As it stands in history rows. */
const BY = 'plan';

/** Campaigns claimed by one round. An event may be 1 MiB, so this bounds what a round holds. */
const CLAIM_LIMIT = 32;

/** Sends, or ids in them, held before they are written. */
const FLUSH_SENDS = 2_000;
const FLUSH_IDS = 50_000;
const FLUSH_CELLS = 5_000;

export interface PlanDueParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly rules: ZoneRules;
  readonly projects: {
    getMany(serviceIds: readonly string[]): Promise<ReadonlyMap<string, PlannableProject>>;
  };
  /** How long a registered offset is believed. */
  readonly offsetCacheMs: number;
}

/** `lookupMax`: USER ids looked up for one campaign. */
type PlannableProject = PlanningProject & { readonly lookupMax: number };

export class PlanDue {
  constructor(private readonly parts: PlanDueParts) {}

  /** One round. Returns how many campaigns it claimed, those it failed with included: they have been put off. */
  async runOnce(): Promise<number> {
    const { database, clock } = this.parts;
    const ids = await claimToPlan(database, { now: clock.now(), by: BY, limit: CLAIM_LIMIT });
    if (ids.length === 0) return 0;
    try {
      await this.#planTogether(ids);
    } catch (error) {
      // One of them may be the cause; alone, it fails alone.
      if (ids.length === 1) await this.#noteFault(ids, error);
      else
        for (const id of ids) await this.#planTogether([id]).catch((fault) => this.#noteFault([id], fault));
    }
    return ids.length;
  }

  async #planTogether(ids: readonly string[]): Promise<void> {
    await this.parts.database.transaction(async (sql) => {
      const waiting = await readToPlan(sql, await lockToPlan(sql, ids));
      const lookups = await lookupsOf(
        sql,
        waiting.filter((one) => one.data?.delivery.kind === 'recipient').map((one) => one.id),
      );
      const projects = await this.parts.projects.getMany([...new Set(waiting.map((one) => one.serviceId))]);
      const planned: PlannedCampaign[] = [];
      const refused: RefusedCampaign[] = [];
      const unknown: OpenLookup[] = [];
      const now = this.parts.clock.now();
      const paced = waiting.filter(({ data }) => data !== null && data.policy.pace !== null);
      const taken = await takenMinutes(
        sql,
        paced.map((one) => one.id),
        now,
      );
      const sends = new SendBuffer(sql, now);
      const occurrences: OccurrenceRow[] = [];
      const cells: CellRow[] = [];
      for (const one of waiting) {
        const lookup = lookups.get(one.id);
        const project = projects.get(one.serviceId);
        const known = await this.#known(sql, one, project, lookup, now);
        const from = this.#plan(one, project, known, now, {
          taken: taken(one.id),
          leftOut: new Set(one.canceled),
          ...(await this.#since(sql, one, now)),
        });
        const giveUpAt = waitsUntil(from, known, project, lookup);
        if (giveUpAt !== undefined) {
          unknown.push({ campaign: one.id, serviceId: one.serviceId, giveUpAt });
          continue;
        }
        const goesOn = one.state !== 'planning';
        const refusal = goesOn ? from.plan.refusal : await this.#refusal(sql, from);
        // A recurrence that goes on is past refusing: what it cannot plan any more is a fault to be shown.
        if (refusal !== undefined && goesOn) throw new Error(`${refusal.code}: ${refusal.text}`);
        if (refusal !== undefined) {
          refused.push({ id: one.id, revision: one.revision, reasons: [refusal] });
          continue;
        }
        occurrences.push(...occurrenceRows(from));
        cells.push(...cellRows(from));
        for (const send of sendRows(from)) await sends.add(send);
        planned.push({
          id: one.id,
          revision: one.revision,
          plan: shownPlan(from.plan, (one.plan as ShownPlan | null)?.cells),
          planAt: from.plan.nextLookAt ?? null,
        });
      }
      await insertOccurrences(sql, occurrences, now);
      for (let first = 0; first < cells.length; first += FLUSH_CELLS) {
        await insertCells(sql, cells.slice(first, first + FLUSH_CELLS));
      }
      await sends.flush();
      await markPlanned(sql, planned, now, BY);
      await markRefused(sql, refused, now, BY);
      await openLookups(sql, unknown, now);
      const decided = [...planned, ...refused].map((one) => one.id);
      await closeLookups(
        sql,
        decided.filter((id) => lookups.has(id)),
      );
      await rowsOf(sql, 'select pg_notify($1, $3), pg_notify($2, $3)', [
        CHANNELS.dispatch,
        CHANNELS.close,
        '',
      ]);
    });
  }

  async #known(
    sql: Sql,
    { serviceId, data: campaign }: CampaignToPlan,
    project: PlanningProject | undefined,
    lookup: Lookup | undefined,
    now: number,
  ): Promise<KnownAudience | undefined> {
    // #plan says what is wrong with it.
    if (campaign === null || project === undefined) return undefined;
    const { offsetCacheMs } = this.parts;
    const looked = lookup === undefined ? {} : { lookedUpSince: lookup.openedAt };
    return knownAudience(sql, { serviceId, campaign, project, now, offsetCacheMs, ...looked });
  }

  /** Where the planning of a recurrence goes on; of a first planning, from when on what was previewed looked ahead. */
  async #since(
    sql: Sql,
    { data, after }: CampaignToPlan,
    now: number,
  ): Promise<{ after?: string; lookedAt?: number }> {
    if (after !== null) return { after };
    const lookedAt = data === null ? undefined : await previewedAt(sql, data, now);
    return lookedAt === undefined ? {} : { lookedAt };
  }

  #plan(
    one: CampaignToPlan,
    project: PlanningProject | undefined,
    known: KnownAudience | undefined,
    now: number,
    before: PlanOrder['before'] & object,
  ): PlannedFrom {
    const { id, serviceId, revision, data: campaign } = one;
    if (campaign === null) throw new Error(`revision ${revision} of the campaign is missing`);
    if (project === undefined) throw new Error(`its push project ${serviceId} is missing`);
    const { rules } = this.parts;
    const audience = known?.facts ?? noFacts;
    return planFrom({ id, serviceId, revision, campaign, project, audience, rules, now, before });
  }

  /** Why the campaign is not planned at all: it cannot be, or not as it was previewed. */
  async #refusal(sql: Sql, from: PlannedFrom): Promise<PlanProblem | undefined> {
    const { refusal } = from.plan;
    const changed = refusal === undefined ? await changedPlan(sql, from) : undefined;
    return changed === undefined ? refusal : planChanged(changed);
  }

  async #noteFault(ids: readonly string[], error: unknown): Promise<void> {
    const detail = (error instanceof Error ? error.message : String(error)).slice(0, 500);
    for (const campaign of ids) {
      this.parts.log.error(
        { campaign, err: error },
        'a campaign could not be planned; it will be tried again',
      );
      await notePlanningFault(this.parts.database, { campaign, detail });
    }
  }
}

/**
 * Until when the campaign waits for look-ups; undefined plans it now. One that names a planHash never waits: it runs
 * what was previewed, and a preview looks nothing up (§9).
 */
function waitsUntil(
  { plan, campaign, now }: PlannedFrom,
  known: KnownAudience | undefined,
  project: PlannableProject | undefined,
  lookup: Lookup | undefined,
): number | undefined {
  if (known === undefined || campaign.planHash !== undefined || lookup?.done === true) return undefined;
  const unknownIds = (project?.lookupMax ?? 0) > 0 ? known.unknownIds : 0;
  if (unknownIds === 0 && !known.censusMissing) return undefined;
  const giveUpAt = lookup?.giveUpAt ?? lastLookAt(plan, campaign, now);
  return giveUpAt > now ? giveUpAt : undefined;
}

/** Holds sends until there are enough for one statement: memory is bounded by the flush limits and one request. */
class SendBuffer {
  #rows: SendRow[] = [];
  #ids = 0;

  constructor(
    private readonly sql: Sql,
    private readonly now: number,
  ) {}

  async add(row: SendRow): Promise<void> {
    this.#rows.push(row);
    this.#ids += row.recipients?.length ?? 0;
    if (this.#rows.length >= FLUSH_SENDS || this.#ids >= FLUSH_IDS) await this.flush();
  }

  async flush(): Promise<void> {
    const rows = this.#rows;
    this.#rows = [];
    this.#ids = 0;
    await insertSends(this.sql, rows, this.now, BY);
  }
}
