// The answer of a forecast from planned load: steps, and the campaigns that miss a bound. Pure; a thread runs it where there is much.
import { groupBy } from '../../decide/forecast/group-by.js';
import { forecast, type GroupForecast, type LateCampaign } from '../../decide/forecast/forecast.js';
import type { LoadGroup } from '../../decide/forecast/load-group.js';
import { backlogAt } from '../../decide/forecast/send-queue.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { ReadProject } from './planned-load.store.js';

export const FORECAST_KEYS = ['zone', 'project', 'campaign'] as const;
export type ForecastKey = (typeof FORECAST_KEYS)[number];

export interface ForecastJob {
  readonly projects: readonly ReadProject[];
  readonly groups: readonly LoadGroup[];
  readonly now: EpochMs;
  readonly from: EpochMs;
  readonly to: EpochMs;
  readonly stepMs: number;
  readonly by: ForecastKey;
}

export interface ForecastStep {
  readonly at: EpochMs;
  readonly key: string;
  readonly requests: number;
  /** By project: those that wait at the end of the step; else null. */
  readonly backlog: number | null;
  /** Of those that are handed off in the step, the latest. */
  readonly lateMs: number;
}

export interface ForecastProjectSum {
  readonly serviceId: string;
  readonly ratePerSecond: number;
  readonly blocked: string | null;
  readonly notPlannedYet: number;
  readonly requests: number;
  readonly lateMs: number;
  /** When the last of them leaves; null: nothing is planned. */
  readonly drainedAt: EpochMs | null;
}

export interface MadeForecast {
  readonly projects: readonly ForecastProjectSum[];
  readonly steps: readonly ForecastStep[];
  readonly late: readonly LateCampaign[];
}

export function makeForecast(job: ForecastJob): MadeForecast {
  const { projects, groups, now, from, to } = job;
  const { groups: found, late } = forecast(projects, groups, now);
  const ofProject = groupBy(found, ({ group }) => group.serviceId);
  const shown = found.filter((one) => atOf(one, now) >= from && atOf(one, now) < to);
  return {
    projects: projects.map((project) => sumOf(project, ofProject.get(project.serviceId) ?? [])),
    steps: stepsOf(job, shown),
    late,
  };
}

/** Late work counts as work of now. */
function atOf({ group }: GroupForecast, now: EpochMs): EpochMs {
  return Math.max(now, group.at);
}

function sumOf(project: ReadProject, found: readonly GroupForecast[]): ForecastProjectSum {
  return {
    ...project,
    requests: found.reduce((sum, { group }) => sum + group.requests, 0),
    lateMs: found.reduce((most, { lateMs }) => Math.max(most, lateMs), 0),
    drainedAt: found.length === 0 ? null : found.reduce((last, one) => Math.max(last, one.leavesAt), 0),
  };
}

function stepsOf(job: ForecastJob, shown: readonly GroupForecast[]): ForecastStep[] {
  const { by, now, from, stepMs } = job;
  const keyOf = ({ group }: GroupForecast): string =>
    by === 'zone' ? group.zone : by === 'project' ? group.serviceId : group.campaign;
  const stepOf = (one: GroupForecast): number => Math.floor((atOf(one, now) - from) / stepMs);
  const cells = groupBy(shown, (one) => `${stepOf(one)} ${keyOf(one)}`);
  const steps = [...cells.values()].flatMap((found): ForecastStep[] => {
    const [first] = found;
    if (first === undefined) return [];
    return [
      {
        at: from + stepOf(first) * stepMs,
        key: keyOf(first),
        requests: found.reduce((sum, { group }) => sum + group.requests, 0),
        backlog: null,
        lateMs: found.reduce((most, { lateMs }) => Math.max(most, lateMs), 0),
      },
    ];
  });
  const all = by === 'project' ? withBacklog(job, steps) : steps;
  return all.sort((one, other) => one.at - other.at || (one.key < other.key ? -1 : 1));
}

/** Steps in which nothing is handed off, but something waits, are added. */
function withBacklog(
  { projects, groups, now, from, to, stepMs }: ForecastJob,
  steps: readonly ForecastStep[],
) {
  const known = new Map(steps.map((step) => [`${step.at} ${step.key}`, step]));
  const starts = Array.from({ length: Math.ceil((to - from) / stepMs) }, (_, step) => from + step * stepMs);
  const ofProject = groupBy(groups, ({ serviceId }) => serviceId);
  return projects.flatMap(({ serviceId, ratePerSecond }) => {
    const own = ofProject.get(serviceId);
    if (own === undefined) return [];
    const ends = starts.map((at) => at + stepMs);
    const waiting = backlogAt(own, { ratePerSecond, now }, ends);
    return starts.flatMap((at, index): ForecastStep[] => {
      const step = known.get(`${at} ${serviceId}`);
      const backlog = waiting[index] ?? 0;
      if (step === undefined && backlog === 0) return [];
      return [{ at, key: serviceId, requests: 0, lateMs: 0, ...step, backlog }];
    });
  });
}
