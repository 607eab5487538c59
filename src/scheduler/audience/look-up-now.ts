// Looks up the zones of a preview while its caller waits (planning.md §9, `lookUp=true`): for a short time only, and within the
// look-ups' share of the rate. Ids that are unknown at the end stay provisional. Makes no campaign wait.
import type { Clock } from '../../platform/clock.js';
import type { Database } from '../../platform/database/database.js';
import { setTimeout as rest } from 'node:timers/promises';
import { censusOf, FRESH_CENSUS_MS } from '../decide/audience/audience-needs.js';
import type { Campaign } from '../decide/plan/campaign.js';
import type { LookUps } from '../decide/plan/plan-ports.js';
import type { ProjectCalls } from '../push-client/project-calls.js';
import type { UserApi } from '../push-client/push-api.js';
import type { Project } from '../store/project.store.js';
import { readCensus, writeCensus, writeOffsets } from '../store/registered-offset.store.js';
import { AskOffsets } from './ask-offsets.js';
import { idsToAsk } from './ids-to-ask.js';

/** Real milliseconds. */
const BUDGET_MS = 10_000;

interface LookUpNowDeps {
  readonly database: Database;
  readonly userApi: UserApi;
  readonly calls: ProjectCalls;
  readonly projects: { get(serviceId: string): Promise<Project | undefined> };
  readonly clock: Clock;
  /** How long a registered offset counts as known. */
  readonly offsetCacheMs: number;
}

export class LookUpNow implements LookUps {
  constructor(private readonly deps: LookUpNowDeps) {}

  async lookUp(campaign: Campaign): Promise<void> {
    const { clock, projects, calls } = this.deps;
    const { serviceId } = campaign;
    const project = await projects.get(serviceId);
    if (project === undefined || project.lookupMax === 0) return;
    if ((await calls.heldBack(serviceId, 'look-up')) !== undefined) return;
    const until = clock.elapsed() + BUDGET_MS;
    const census = censusOf(campaign, project);
    if (census === undefined) await this.#ask(project, campaign, until);
    else await this.#count(project, census.channelName, until);
  }

  async #count(project: Project, channelName: string | null, until: number): Promise<void> {
    const { database, clock } = this.deps;
    const { serviceId } = project;
    const since = clock.now() - FRESH_CENSUS_MS;
    if ((await readCensus(database, serviceId, channelName, since)) !== undefined) return;
    const goesOn = (): Promise<boolean> => Promise.resolve(clock.elapsed() < until);
    const offsets = await new AskOffsets(this.deps, project).count(channelName, goesOn);
    if (typeof offsets !== 'string')
      await writeCensus(database, { serviceId, channelName }, offsets, clock.now());
  }

  async #ask(project: Project, campaign: Campaign, until: number): Promise<void> {
    const { database, clock, offsetCacheMs } = this.deps;
    const { serviceId } = project;
    const most = project.lookupMax;
    const unknown = await idsToAsk(database, campaign, {
      serviceId,
      since: clock.now() - offsetCacheMs,
      most,
    });
    let missing = unknown.slice(0, most);
    const ask = new AskOffsets(this.deps, project);
    while (missing.length > 0 && clock.elapsed() < until) {
      const startedAt = clock.elapsed();
      const { ends, learned, ids, worthMs } = await ask.batch(missing);
      if (learned.length > 0) await writeOffsets(database, serviceId, learned, clock.now());
      if (ends.some((end) => end !== 'known' && end !== 'refused')) return;
      missing = missing.slice(ids);
      const restMs = Math.min(startedAt + worthMs, until) - clock.elapsed();
      if (missing.length > 0 && restMs > 0) await rest(restMs);
    }
  }
}
