// GET /v1/forecast as a use case: reads planned load and a previewed plan, and says what is expected of them. Changes nothing.
import type { Clock } from '../../../platform/clock.js';
import type { Database, Sql } from '../../../platform/database/database.js';
import type { Owner } from '../../../platform/fair-order.js';
import type { WorkerJob, WorkerPool } from '../../../platform/workers/worker-pool.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { LoadGroup } from '../../decide/forecast/load-group.js';
import { previewByHash, previewCells } from '../plan-preview.store.js';
import type * as worker from './forecast.worker.js';
import { loadOfPreview } from './load-of-preview.js';
import { makeForecast, type ForecastJob, type ForecastKey, type MadeForecast } from './make-forecast.js';
import {
  campaignNames,
  forecastProjects,
  MOST_GROUPS,
  plannedLoad,
  type CampaignName,
} from './planned-load.store.js';

export interface ForecastAsk {
  /** null: all. */
  readonly services: readonly string[] | null;
  readonly from: EpochMs;
  readonly to: EpochMs;
  readonly stepMs: number;
  readonly by: ForecastKey;
  readonly with: string | undefined;
}

export interface ReadForecast extends MadeForecast {
  readonly now: EpochMs;
  readonly coveredTo: EpochMs | undefined;
  readonly names: ReadonlyMap<string, CampaignName>;
}

/** Up to so many groups take a few milliseconds, and a thread one or two. */
const SMALL_GROUPS = 2_000;
const PREDICT: WorkerJob<Parameters<typeof worker.predict>[0], MadeForecast> = {
  module: new URL('./forecast.worker.js', import.meta.url),
  name: 'predict',
};
/** Cells of a preview that one statement reads. */
const CELLS_AT_ONCE = 5_000;

export class ForecastReader {
  constructor(
    private readonly deps: {
      /** Gives the turns of reports. */
      readonly reports: { for(owner: Owner): Database };
      /** Previews are read where they are written: a replica may not have them yet. */
      readonly previews: Sql;
      readonly clock: Pick<Clock, 'now'>;
      readonly workers: Pick<WorkerPool, 'run'>;
    },
  ) {}

  /** Undefined: nobody holds a plan of that hash. Throws WorkersBusyError where no thread becomes free. */
  async read(ask: ForecastAsk, owner: Owner): Promise<ReadForecast | undefined> {
    const now = this.deps.clock.now();
    const plan = ask.with === undefined ? [] : await this.#previewed(ask.with, ask.services, now);
    if (plan === undefined) return undefined;
    const { projects, load } = await this.deps.reports.for(owner).transaction(async (sql) => {
      const found = await forecastProjects(sql, ask.services, { now, to: ask.to });
      const ids = found.map(({ serviceId }) => serviceId);
      return { projects: found, load: await plannedLoad(sql, ids, ask.to) };
    });
    const { from, to, stepMs, by } = ask;
    const groups = [...load.groups, ...plan.filter(({ at }) => at < to)];
    const job: ForecastJob = { projects, groups, now, from, to, stepMs, by };
    const made =
      groups.length <= SMALL_GROUPS
        ? makeForecast(job)
        : await this.deps.workers.run(PREDICT, job, ['forecasts', ...owner]);
    const named = [
      ...made.late.map(({ campaign }) => campaign),
      ...(by === 'campaign' ? made.steps.map(({ key }) => key) : []),
    ];
    const ids = [...new Set(named)].filter((id) => id !== ask.with);
    const names = await campaignNames(this.deps.previews, ids);
    return { ...made, now, coveredTo: load.coveredTo, names: new Map(names.map((name) => [name.id, name])) };
  }

  async #previewed(
    hash: string,
    services: readonly string[] | null,
    now: EpochMs,
  ): Promise<LoadGroup[] | undefined> {
    const { previews } = this.deps;
    const preview = await previewByHash(previews, hash, services, now);
    if (preview === undefined) return undefined;
    const { serviceId, plan } = preview;
    const groups: LoadGroup[] = [];
    const most = Math.max(1, Math.floor((MOST_GROUPS * CELLS_AT_ONCE) / Math.max(CELLS_AT_ONCE, plan.cells)));
    for (let after = 0; after < plan.cells;) {
      const page = await previewCells(previews, { serviceId, hash }, { after, limit: CELLS_AT_ONCE });
      const last = page.at(-1)?.position;
      if (last === undefined) break;
      groups.push(
        ...loadOfPreview(
          { serviceId, hash, policy: plan.policy },
          page.map(({ cell }) => cell),
          most,
        ),
      );
      after = last;
    }
    return groups;
  }
}
