// Makes a plan on the event loop where that takes a few milliseconds, else in a thread with its own limits of heap and time. A plan
// that exceeds these limits is refused as PLAN_TOO_LARGE; the process goes on.
import { deserialize } from 'node:v8';
import { WorkLimitError } from '../../platform/workers/worker-errors.js';
import type { WorkerJob, WorkerPool } from '../../platform/workers/worker-pool.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import { planSize } from '../decide/plan/plan-size.js';
import type { CellDifference } from './changed-cells.js';
import { makePlan, planDifference, refusedMade, type MadePlan, type PlanJob } from './make-plan.js';
import type { CellTexts } from './plan-preview.store.js';
import type { PlanPage } from './plan-rows.js';
import type * as worker from './plan.worker.js';

interface PlanMakerDeps {
  readonly rules: ZoneRules;
  /** TZDATA_DIR, from which threads read the same rules. */
  readonly tzdata?: string | undefined;
  /** Left out: every plan is made on the event loop. */
  readonly pool?: Pick<WorkerPool, 'run'> | undefined;
}

/** Estimated, not measured: a plan up to this size takes some 10 ms of processor time, and a thread costs one or two. */
const SMALL = { cells: 200, ids: 2_000 };

const module = new URL('./plan.worker.js', import.meta.url);
const PLAN: WorkerJob<Parameters<typeof worker.plan>[0], MadePlan<Uint8Array, Uint8Array>> = {
  module,
  name: 'plan',
};
const DIFFERENCE: WorkerJob<Parameters<typeof worker.difference>[0], CellDifference> = {
  module,
  name: 'difference',
};

/** A plan whose pages may still be bytes from a thread: pageOf() reads one. */
export type PagedPlan = MadePlan<PlanPage | Uint8Array, CellTexts | Uint8Array>;

export class PlanMaker {
  constructor(private readonly deps: PlanMakerDeps) {}

  /**
   * A recurrence is never small: a rule that seldom fires is searched for years, and its past is counted. Neither is what goes to a
   * list: its ids are laid down for each planning.
   */
  isSmall(job: PlanJob): boolean {
    const { delivery, audience } = job.campaign;
    if ('recurrence' in delivery && delivery.recurrence !== undefined) return false;
    if (audience?.type === 'USER' && ('list' in audience || audience.to.length > SMALL.ids)) return false;
    const { cells, ids } = planSize({
      ...job,
      audience: { ...job.audience, zoneOf: () => undefined },
      rules: this.deps.rules,
    });
    return cells <= SMALL.cells && ids <= SMALL.ids;
  }

  /** Throws WorkersBusyError where no thread becomes free. */
  async make(job: PlanJob): Promise<PagedPlan> {
    const { rules, tzdata, pool } = this.deps;
    if (pool === undefined || this.isSmall(job)) return makePlan(job, rules);
    try {
      return await pool.run(PLAN, { ...job, tzdata }, ownerOf(job));
    } catch (error) {
      if (!(error instanceof WorkLimitError)) throw error;
      const text = `it cannot be planned at once: ${error.message}; give fewer segments, ids or splits, a rarer recurrence, or several campaigns`;
      return refusedMade(job, rules, { code: 'PLAN_TOO_LARGE', text, pointer: '' });
    }
  }

  /** `previewed`: from decidedTexts(). Throws WorkLimitError where the comparison itself takes too much. */
  async difference(job: PlanJob, previewed: readonly string[]): Promise<CellDifference> {
    const { rules, tzdata, pool } = this.deps;
    if (pool === undefined || this.isSmall(job)) return planDifference({ ...job, previewed }, rules);
    return pool.run(DIFFERENCE, { ...job, previewed, tzdata }, ownerOf(job));
  }
}

/** Planning and dry runs take turns, and within both the services. */
function ownerOf({ want, campaign }: PlanJob): readonly [string, string] {
  return [want === 'rows' ? 'planning' : 'dry runs', campaign.serviceId];
}

/** A page is decoded only when it is written: to decode all of them at once would block the event loop. */
export function pageOf<Page extends object>(page: Page | Uint8Array): Page {
  return page instanceof Uint8Array ? (deserialize(page) as Page) : page;
}
