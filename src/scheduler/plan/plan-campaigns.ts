// Plans given campaigns: loads their facts, has their plans made, and writes cells and sends. Small ones share a transaction. Each
// large one has its own; a large recurrence has several, one after the other, so that after a crash planning goes on from there. The
// large campaigns of one service do not delay another's. Never calls the push service: a campaign whose recipients have to be looked
// up first is left to audience/ for a while.
import type { Database } from '../../platform/database/database.js';
import type { Log } from '../../platform/logging/log.js';
import { OthersFirst } from '../../platform/loops/others-first.js';
import { NO_SPAN, NO_TRACING, type Span, type Tracing } from '../../platform/tracing/tracing.js';
import { NAMES_WAIT_MS } from '../decide/audience/gateway-names.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import type { PlanView } from '../store/read/plan-view.js';
import { changedPlan, planChanged } from './changed-plan.js';
import { readJobs, withList, type PlanJobDeps, type ReadJob } from './plan-jobs.js';
import type { PagedPlan, PlanMaker } from './plan-maker.js';
import { holdToPlan, readToPlan, type CampaignToPlan } from './plan.store.js';
import { PlanOutdatedError, writePlans, type Decided, type Planning } from './write-plans.js';

/** The author named in history rows. */
export const BY = 'plan';

/** How long nobody else claims a campaign whose plan a thread makes; also how soon the rest is planned after a crash. */
const HOLD_MS = 120_000;
/** After this time, no service begins with another large campaign in this round, real milliseconds: new campaigns are claimed first. */
const LARGE_MS = 2_000;
/** Large campaigns that are planned at once: threads make them, and each is written by a connection of its own. */
const LARGE_AT_ONCE = 3;
/** How often campaigns are read again because something changed while they were planned. */
const READS = 5;

export interface PlanCampaignsDeps extends PlanJobDeps {
  readonly database: Database;
  readonly log: Log;
  /** [off] */
  readonly tracing?: Tracing;
  /** Those that `plans` plans by. */
  readonly rules: Pick<ZoneRules, 'version'>;
  readonly plans: PlanMaker;
  /** Called after plans were written, with how many cells they have, for the metrics. */
  readonly wrote?: (plans: number, cells: number) => void;
}

/** A campaign with all the facts that its plan is made from. */
interface ToPlan extends ReadJob {
  readonly span: Span;
}

type Decision =
  { readonly became: 'planned'; readonly made: PagedPlan } | Exclude<Planning, { became: 'planned' }>;

export interface PlanAsk {
  /** Recurrences only: the most occurrences to plan. */
  readonly atMost?: number;
  /** Called with the ids of campaigns that need nothing more in this round. */
  readonly decided?: (ids: readonly string[]) => void;
}

export class PlanCampaigns {
  constructor(private readonly deps: PlanCampaignsDeps) {}

  /**
   * Returns the ids that it did not begin with, because it is other services' turn. Throws the first fault; decisions before it stay.
   */
  async plan(ids: readonly string[], { decided, ...ask }: PlanAsk = {}): Promise<readonly string[]> {
    const open = new Set(ids);
    const until = this.deps.clock.elapsed() + LARGE_MS;
    const close = (closed: readonly string[]): void => {
      for (const id of closed) open.delete(id);
      decided?.(closed);
    };
    for (let reads = 1; ; reads += 1) {
      try {
        return await this.#planOnce([...open], until, { ...ask, decided: close });
      } catch (error) {
        if (!(error instanceof PlanOutdatedError) || reads === READS) throw error;
      }
    }
  }

  async #planOnce(
    ids: readonly string[],
    until: number,
    { atMost, decided }: PlanAsk,
  ): Promise<readonly string[]> {
    const { clock, plans } = this.deps;
    const waiting = await this.#read(ids, atMost);
    const small = waiting.filter(({ job }) => plans.isSmall(job));
    const done: Decided[] = [];
    const others = new OthersFirst(clock);
    for (const to of small) {
      await others.now();
      done.push(...this.#transactions(to, await this.#decide(to)));
    }
    await this.#write(done, small);
    decided?.(small.map(({ one }) => one.id));
    const large = inTurns(waiting.filter((one) => !small.includes(one)));
    const left: string[] = [];
    const planNext = async (): Promise<void> => {
      for (let next = large.shift(); next !== undefined; next = large.shift()) {
        const { id } = next.to.one;
        if (next.turn > 0 && clock.elapsed() > until) left.push(id);
        else {
          await this.#planLarge(next.to);
          decided?.([id]);
        }
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: LARGE_AT_ONCE }, planNext));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    return left;
  }

  async #planLarge(to: ToPlan): Promise<void> {
    const { database, clock } = this.deps;
    await holdToPlan(database, to.one.id, clock.now() + HOLD_MS);
    const whole = { ...to, ...(await withList(database, this.deps, to, to.one.id)) };
    for (const each of this.#transactions(whole, await this.#decide(whole)))
      await this.#write([each], [whole]);
  }

  async #read(ids: readonly string[], atMost: number | undefined): Promise<ToPlan[]> {
    const { database } = this.deps;
    const jobs = await readJobs(database, this.deps, await readToPlan(database, ids), atMost);
    return jobs.map((job) => ({ ...job, span: this.#begin(job.one) }));
  }

  #begin({ id, serviceId, trace }: CampaignToPlan): Span {
    if (trace === null) return NO_SPAN;
    const facts = { 'carillon.campaign.id': id, 'carillon.service.id': serviceId };
    const { tracing = NO_TRACING } = this.deps;
    return tracing.begin({ name: 'campaign planned', kind: 'internal', parent: trace, facts });
  }

  async #decide(to: ToPlan): Promise<Decision> {
    const { database, plans } = this.deps;
    const { one, job } = to;
    const made = await plans.make(job);
    // The audience is looked up once an occurrence of it is planned.
    const plansNothingYet = made.units.length === 0 && made.nextLookAt !== undefined;
    const giveUpAt = plansNothingYet ? undefined : waitsUntil(to, made);
    if (giveUpAt !== undefined) return { became: 'waits for look-ups', giveUpAt };
    const { refusal } = made;
    if (one.state !== 'planning' && one.before === null) {
      // It is too late to refuse a recurrence that goes on: an occurrence that can no longer be planned is a fault to show.
      if (refusal !== undefined) throw new Error(`${refusal.code}: ${refusal.text}`);
      return { became: 'planned', made };
    }
    if (refusal !== undefined) return { became: 'rejected', refusal };
    const changed = await changedPlan(database, plans, job, made);
    return changed === undefined
      ? { became: 'planned', made }
      : { became: 'rejected', refusal: planChanged(changed) };
  }

  /** The writes about a campaign, transaction by transaction: one, unless a recurrence has many cells at once. */
  #transactions({ one, lookup, job }: ToPlan, decision: Decision): Decided[] {
    const looksUp = lookup !== undefined;
    const endsListed = job.audience.lists !== undefined;
    const revised =
      one.before === null
        ? undefined
        : { before: one.before, after: job.campaign, kept: one.canceled, inForce: one.moved };
    if (decision.became !== 'planned') return [{ ...decision, one, looksUp, endsListed, revised }];
    const { units, shown, nextLookAt } = decision.made;
    if (revised !== undefined) {
      const planned = {
        id: one.id,
        revision: one.revision,
        plan: { ...shown, cells: units.reduce((sum, unit) => sum + unit.cells, 0) },
        planAt: nextLookAt ?? null,
        goesOn: true,
      };
      const pages = units.flatMap((unit) => unit.pages);
      const { cells } = planned.plan;
      return [{ became: 'planned', pages, cells, planned, one, looksUp, endsListed, revised }];
    }
    let { after } = one;
    let cells = (one.plan as PlanView | null)?.cells ?? 0;
    let goesOn = one.state !== 'planning';
    return (units.length > 0 ? units : [NO_ROWS]).map((unit, index): Decided => {
      cells += unit.cells;
      const isLast = index >= units.length - 1;
      const planned = {
        id: one.id,
        revision: one.revision,
        plan: { ...shown, cells },
        planAt: isLast ? (nextLookAt ?? null) : job.now + HOLD_MS,
        goesOn,
      };
      const decided = {
        became: 'planned',
        pages: unit.pages,
        cells: unit.cells,
        planned,
        one: { ...one, after },
        looksUp,
        endsListed: endsListed && isLast,
      } as const;
      after = unit.last ?? after;
      goesOn = true;
      return decided;
    });
  }

  async #write(done: readonly Decided[], all: readonly ToPlan[]): Promise<void> {
    if (done.length === 0) return;
    const { database, clock, log, rules, wrote } = this.deps;
    const context = { now: clock.now(), by: BY, zoneRules: rules.version };
    await database.transaction((sql) => writePlans(sql, done, context));
    const plans = done.filter((one) => one.became === 'planned');
    wrote?.(
      plans.length,
      plans.reduce((sum, { cells }) => sum + cells, 0),
    );
    // After the commit: the span of a planning that was rolled back never ends, and so is not exported.
    const spans = new Map(all.map(({ one, span }) => [one.id, span]));
    for (const { one, ...planning } of done) {
      const { became } = planning;
      const span = spans.get(one.id) ?? NO_SPAN;
      span.end({ 'carillon.became': became }, became === 'rejected' ? planning.refusal.code : undefined);
      if (log.isLevelEnabled('debug'))
        log.debug({ campaign: one.id, became, trace: span.context }, 'a campaign was looked at');
    }
  }
}

/** The first of every service, then the second of every service, and so on. */
function inTurns(large: readonly ToPlan[]): { readonly to: ToPlan; readonly turn: number }[] {
  const turns = new Map<string, number>();
  const all = large.map((to) => {
    const turn = turns.get(to.one.serviceId) ?? 0;
    turns.set(to.one.serviceId, turn + 1);
    return { to, turn };
  });
  return all.toSorted((one, other) => one.turn - other.turn);
}

const NO_ROWS: PagedPlan['units'][number] = { pages: [], cells: 0, last: undefined };

/**
 * Until when the campaign waits for look-ups; undefined where it is planned now. A campaign that names a planHash never
 * waits: it runs what was previewed, and a preview looks nothing up (planning.md §9).
 */
function waitsUntil(
  { job: { campaign, now, after }, known, project, lookup }: ToPlan,
  { refusal, lastPollAt }: PagedPlan,
): number | undefined {
  if (campaign.planHash !== undefined || lookup?.done === true) return undefined;
  const { facts, unaskedNames, censusMissing } = known;
  const asks = project.lookupMax > 0;
  // A recurrence that goes on had its names asked about before.
  const mayAskNames = unaskedNames && after === undefined && refusal === undefined;
  const waits: number[] = [];
  if ((asks && facts.provisional > 0) || censusMissing) waits.push(lastPollAt);
  if (asks && mayAskNames) waits.push(now + NAMES_WAIT_MS);
  if (waits.length === 0) return undefined;
  const giveUpAt = lookup?.giveUpAt ?? Math.max(...waits);
  return giveUpAt > now ? giveUpAt : undefined;
}
