// Plans campaigns that are due for planning, round by round: claims them, counts their tries, and gives up a planning that fails
// too often. plan-campaigns.ts plans them.
import type { Clock } from '../../platform/clock.js';
import type { Database } from '../../platform/database/database.js';
import { isDatabaseAway } from '../../platform/database/database-away.js';
import { storable } from '../../platform/http/storable-text.js';
import { asError } from '../../platform/logging/error-code.js';
import type { FullReads } from '../../platform/loops/full-reads.js';
import type { Log } from '../../platform/logging/log.js';
import { WorkersBusyError } from '../../platform/workers/worker-errors.js';
import { PLANNING_TRIES } from '../decide/lifecycle/planning-tries.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import { traceOfCampaign } from '../store/trace.store.js';
import { mayPlanBy } from '../store/zone-rules-in-force.store.js';
import { ClaimDue } from './claim-due.js';
import { giveUpPlanning } from './give-up-planning.js';
import { BY, PlanCampaigns, type PlanCampaignsDeps } from './plan-campaigns.js';
import { notePlanningFault, uncountTries, type ClaimedToPlan } from './plan.store.js';
import { ZoneRulesMovedError } from './write-plans.js';

/** The most that one round claims. An event may be 1 MiB, of which some hundred KiB are stored: this bounds the memory of a round. */
const CLAIM_LIMIT = { campaigns: 500, bytes: 1024 * 1024 };

interface PlanDueDeps extends PlanCampaignsDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly rules: ZoneRules;
  /** When the campaigns to plan are read from the start again. */
  readonly fullReads?: FullReads;
  /** Called when a planning was given up. */
  readonly givenUp?: () => void;
  /** Called when a round left campaigns unclaimed: another one may run beside it. */
  readonly more?: () => void;
}

export class PlanDue {
  /** Campaigns whose try does not count: it was others' turn, the database was unavailable, no thread became free, or the zone rules moved. */
  readonly #uncounted = new Set<string>();
  readonly #claims: ClaimDue;
  readonly #campaigns: PlanCampaigns;

  constructor(private readonly deps: PlanDueDeps) {
    this.#claims = new ClaimDue({ ...deps, by: BY, limit: CLAIM_LIMIT });
    this.#campaigns = new PlanCampaigns(deps);
  }

  /** One round. Returns how many campaigns it claimed, including those that failed and will be tried again later. */
  async runOnce(): Promise<number> {
    const { database, clock, rules } = this.deps;
    if (!(await mayPlanBy(database, rules.version))) return 0;
    if (this.#uncounted.size > 0) await uncountTries(database, [...this.#uncounted], clock.now());
    this.#uncounted.clear();
    const { claimed, isAll } = await this.#claims.claim();
    if (!isAll) this.deps.more?.();
    const open = new Map(claimed.map((one) => [one.id, one]));
    try {
      await this.#planAll(open);
    } catch (error) {
      if (isNoFault(error)) for (const id of open.keys()) this.#uncounted.add(id);
      throw error;
    }
    return claimed.length;
  }

  /** Removes from `open` each campaign that needs nothing more in this round: planned, to be tried later, or given up. */
  async #planAll(open: Map<string, ClaimedToPlan>): Promise<void> {
    for (const { id, tries } of open.values()) {
      if (tries <= PLANNING_TRIES) continue;
      // Each of its tries ended with the death of its process.
      await this.#giveUp(id, 'no try came to an end');
      open.delete(id);
    }
    if (open.size === 0) return;
    try {
      const decided = (ids: readonly string[]): void => {
        for (const id of ids) open.delete(id);
      };
      const left = await this.#campaigns.plan([...open.keys()], { decided });
      for (const id of left) this.#uncounted.add(id);
      open.clear();
    } catch (error) {
      if (isNoFault(error)) throw error;
      // One of them may be the cause, so each is planned on its own.
      const only = open.size === 1;
      for (const one of open.values()) {
        const fault = only ? asError(error) : await this.#planAlone(one.id);
        if (fault !== undefined) await this.#noteFault(one, fault);
        open.delete(one.id);
      }
    }
  }

  /** Returns the error of a planning that failed; throws where the database is unavailable. */
  async #planAlone(id: string, atMost?: number): Promise<Error | undefined> {
    try {
      await this.#campaigns.plan([id], atMost === undefined ? {} : { atMost });
      return undefined;
    } catch (error) {
      if (isNoFault(error)) throw error;
      return asError(error);
    }
  }

  async #noteFault({ id: campaign, tries }: ClaimedToPlan, error: Error): Promise<void> {
    const detail = storable(error.message, 500);
    if (tries < PLANNING_TRIES) {
      this.deps.log.error(
        { campaign, tries, err: error, trace: await traceOfCampaign(this.deps.database, campaign) },
        'a campaign could not be planned; it will be tried again',
      );
      await notePlanningFault(this.deps.database, { campaign, detail });
      return;
    }
    // In a recurrence a later occurrence may be the cause: then the next one can be planned on its own.
    const fault = await this.#planAlone(campaign, 1);
    if (fault !== undefined) await this.#giveUp(campaign, storable(fault.message, 500));
  }

  async #giveUp(campaign: string, why: string): Promise<void> {
    const { database, clock, rules, log, givenUp } = this.deps;
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

/** Whether the error passes without a change of the campaign: then the try does not count. */
function isNoFault(error: unknown): boolean {
  return isDatabaseAway(error) || error instanceof WorkersBusyError || error instanceof ZoneRulesMovedError;
}
