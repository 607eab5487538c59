// GET /v1/forecast: planned load against each project's rate, and what is expected to be late. Reads only.
import { Controller, Get, Inject, Query } from '@nestjs/common';
import { z } from 'zod';
import type { Clock } from '../../../platform/clock.js';
import { givenInstant } from '../../../platform/http/given-instant.js';
import { Operation } from '../../../platform/http/operation.decorator.js';
import { notFound, Problem } from '../../../platform/http/problem.js';
import { storableText } from '../../../platform/http/storable-text.js';
import { count, listOf } from '../../../platform/http/zod-schemas.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { instantText, instantTextOr } from '../../../platform/instant.js';
import { HOUR_MS, MINUTE_MS } from '../../../zone-rules/civil.js';
import type { CallerIdentity } from '../../admin/auth/caller.js';
import { Caller } from '../../admin/auth/caller.decorator.js';
import { Roles } from '../../admin/auth/roles.js';
import type { LateCampaign } from '../../decide/forecast/forecast.js';
import { FORECAST_KEYS, type ForecastStep } from './make-forecast.js';
import { ForecastReader, type ReadForecast } from './read-forecast.js';

const STEPS = {
  minute: { ms: MINUTE_MS, mostHours: 24 },
  hour: { ms: HOUR_MS, mostHours: 35 * 24 },
} as const;
const USUAL_HOURS = 24;
/** Beyond these a narrower question is asked. */
const MOST_STEPS = 20_000;
const MOST_LATE = 100;

const instantParameter = givenInstant.transform((text) => Date.parse(text));
const forecastQuery = z.object({
  from: instantParameter.optional().describe('The first step begins at it, cut to a whole step [now]'),
  to: instantParameter.optional().describe('The last step ends at it or before [24 hours after from]'),
  step: z
    .enum(['minute', 'hour'])
    .default('hour')
    .describe('minute: at most 24 hours; hour: at most 35 days'),
  by: z.enum(FORECAST_KEYS).default('project').describe('The key of a step'),
  serviceId: storableText(128).optional(),
  with: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be a planHash: 64 hex digits')
    .optional()
    .describe('A previewed plan whose load is added, as if it were published'),
});

const miss = z
  .object({
    byMs: count.describe('By how much the last of them is beyond the bound'),
    requests: count.describe('At most so many'),
  })
  .nullable();
const Named = {
  campaign: z.string().describe('Our id; of the plan of `with` its hash'),
  campaignId: z.string().nullable(),
  name: z.string().nullable(),
};
const LateView = z
  .object({
    serviceId: z.string(),
    ...Named,
    occurrence: z.string(),
    dueAt: z.iso.datetime(),
    lastLeavesAt: z.iso.datetime().describe('When its last request leaves'),
    lateMs: count,
    requests: count,
    maxLateMs: count.describe('lateness.max'),
    beyond: z.enum(['expire', 'send']).describe('lateness.then'),
    missesLateness: miss,
    missesDeadline: miss,
    waysOut: z
      .object({
        ratePerSecond: count.nullable().describe('The least rate of the project that keeps all bounds'),
        pace: z
          .object({ perMinute: count, minutes: count })
          .nullable()
          .describe('The highest pace that fits beside the other load, and how long it takes'),
        jitterMinutes: count.nullable().describe('Over how many minutes its zones would have to be spread'),
      })
      .describe('Each is enough on its own; null: it is no way out'),
  })
  .meta({ id: 'LateCampaign' });

const Forecast = z
  .object({
    asOf: z.iso.datetime(),
    from: z.iso.datetime(),
    to: z.iso.datetime(),
    step: z.enum(['minute', 'hour']),
    by: z.enum(FORECAST_KEYS),
    coveredTo: z.iso
      .datetime()
      .nullable()
      .describe('There is more load than a forecast reads: only what is handed off before it is counted'),
    projects: listOf(
      z.object({
        serviceId: z.string(),
        ratePerSecond: count,
        blocked: z.string().nullable().describe('Nothing leaves now; the forecast is as if it did'),
        notPlannedYet: count.describe(
          'Campaigns with later occurrences before `to` that nobody has planned yet',
        ),
        requests: count.describe('Those that are handed off before `to`'),
        lateMs: count,
        drainedAt: z.iso.datetime().nullable(),
      }),
    ),
    steps: listOf(
      z.object({
        at: z.iso.datetime(),
        key: z.string().describe('A zone, a serviceId, or our id of a campaign'),
        campaignId: z.string().nullable(),
        requests: count,
        backlog: count.nullable().describe('By project: how many wait at the end of the step'),
        lateMs: count.describe('Of the latest of them'),
      }),
    ).describe('Steps without load are left out'),
    late: listOf(LateView).describe(`Those that miss a bound, the worst first; at most ${MOST_LATE}`),
    lateCampaigns: count.describe('How many there are'),
  })
  .meta({ id: 'Forecast' });
type ForecastView = z.output<typeof Forecast>;

@Controller('v1/forecast')
@Roles('analyst')
export class ForecastController {
  constructor(
    private readonly forecasts: ForecastReader,
    @Inject(CLOCK) private readonly clock: Pick<Clock, 'now'>,
  ) {}

  @Operation(Forecast, {
    summary: 'Planned load against the rates of projects, and what is expected to be late',
    refusals: {
      400: ['INVALID_RANGE'],
      404: ['NOT_FOUND'],
      422: ['TOO_MANY_STEPS'],
      503: ['REPORTS_AWAY', 'REPORTS_BUSY'],
    },
  })
  @Get()
  async read(
    @Query({ schema: forecastQuery }) query: z.output<typeof forecastQuery>,
    @Caller() caller: CallerIdentity,
  ): Promise<ForecastView> {
    const { step, by, serviceId } = query;
    const range = rangeOf(query, this.clock.now());
    const ask = { services: caller.heldOf(serviceId), ...range, by, with: query.with };
    const found = await this.forecasts.read(ask, caller.owner);
    if (found === undefined) throw notFound('plan');
    if (found.steps.length > MOST_STEPS) {
      const text = `the forecast has ${found.steps.length} steps, more than ${MOST_STEPS}: ask for a shorter time, longer steps, or one serviceId`;
      throw new Problem(422, 'TOO_MANY_STEPS', text);
    }
    return {
      asOf: instantText(found.now),
      from: instantText(range.from),
      to: instantText(range.to),
      step,
      by,
      coveredTo: instantTextOr(found.coveredTo ?? null),
      projects: found.projects.map((project) => ({
        ...project,
        drainedAt: instantTextOr(project.drainedAt),
      })),
      steps: found.steps.map((one) => stepView(one, found)),
      late: found.late.slice(0, MOST_LATE).map((one) => lateView(one, found)),
      lateCampaigns: found.late.length,
    };
  }
}

function rangeOf(
  { from: given, to, step }: Pick<z.output<typeof forecastQuery>, 'from' | 'to' | 'step'>,
  now: number,
): { from: number; to: number; stepMs: number } {
  const { ms, mostHours } = STEPS[step];
  const from = Math.floor((given ?? now) / ms) * ms;
  const until = to ?? from + USUAL_HOURS * HOUR_MS;
  if (until <= from) throw new Problem(400, 'INVALID_RANGE', '`to` must be after `from`');
  if (until <= now) throw new Problem(400, 'INVALID_RANGE', '`to` is over: a forecast is of what is to come');
  if (until - from > mostHours * HOUR_MS)
    throw new Problem(400, 'INVALID_RANGE', `steps of a ${step} are given for at most ${mostHours} hours`);
  return { from, to: until, stepMs: ms };
}

function stepView(
  { at, key, ...step }: ForecastStep,
  { names }: ReadForecast,
): ForecastView['steps'][number] {
  return { at: instantText(at), key, campaignId: names.get(key)?.campaignId ?? null, ...step };
}

function lateView(
  { dueAt, lastLeavesAt, ...late }: LateCampaign,
  { names }: ReadForecast,
): ForecastView['late'][number] {
  const { campaignId = null, name = null } = names.get(late.campaign) ?? {};
  return {
    ...late,
    campaignId,
    name,
    dueAt: instantText(dueAt),
    lastLeavesAt: instantText(lastLeavesAt),
  };
}
