// carillon forecast: prints planned load against the rates of projects, what is expected to be late, and what would help.
import { z } from 'zod';
import { lengthText } from '../scheduler/decide/timing/length-text.js';
import { print, type JsonOption } from './shell/output.js';
import { callScheduler, schedulerApi } from './shell/scheduler-api.js';
import { counted, utc } from './shell/text-layout.js';

export interface ForecastOptions extends JsonOption {
  readonly from?: string;
  readonly to?: string;
  readonly step?: string;
  readonly by?: string;
  readonly service?: string;
  readonly with?: string;
}

const miss = z.object({ byMs: z.number(), requests: z.number() }).nullable();
const Forecast = z.looseObject({
  from: z.string(),
  to: z.string(),
  coveredTo: z.string().nullable(),
  projects: z.array(
    z.looseObject({
      serviceId: z.string(),
      ratePerSecond: z.number(),
      blocked: z.string().nullable(),
      notPlannedYet: z.number(),
      requests: z.number(),
      lateMs: z.number(),
      drainedAt: z.string().nullable(),
    }),
  ),
  steps: z.array(
    z.looseObject({
      at: z.string(),
      key: z.string(),
      campaignId: z.string().nullable(),
      requests: z.number(),
      backlog: z.number().nullable(),
      lateMs: z.number(),
    }),
  ),
  late: z.array(
    z.looseObject({
      serviceId: z.string(),
      campaign: z.string(),
      campaignId: z.string().nullable(),
      occurrence: z.string(),
      dueAt: z.string(),
      lateMs: z.number(),
      beyond: z.string(),
      missesLateness: miss,
      missesDeadline: miss,
      waysOut: z.object({
        ratePerSecond: z.number().nullable(),
        pace: z.object({ perMinute: z.number(), minutes: z.number() }).nullable(),
        jitterMinutes: z.number().nullable(),
      }),
    }),
  ),
  lateCampaigns: z.number(),
});
type Forecast = z.output<typeof Forecast>;

export async function printForecast(options: ForecastOptions): Promise<void> {
  const api = schedulerApi({ role: 'analyst' });
  const { from, to, step, by, service: serviceId, with: plan } = options;
  const given = Object.entries({ from, to, step, by, serviceId, with: plan });
  const query = new URLSearchParams(given.filter((one): one is [string, string] => one[1] !== undefined));
  const found = await callScheduler(api, `/v1/forecast?${query.toString()}`, Forecast);
  print(options, found, textOf(found));
}

function textOf({ from, to, coveredTo, projects, steps, late, lateCampaigns }: Forecast): string {
  const busy = projects.filter(({ requests, notPlannedYet }) => requests > 0 || notPlannedYet > 0);
  return [
    `from ${at(from)} to ${at(to)}`,
    ...(coveredTo === null
      ? []
      : [`only what is handed off before ${at(coveredTo)} is counted: there is more`]),
    ...(busy.length === 0 ? ['nothing is planned'] : busy.map(projectLine)),
    ...(steps.length === 0 ? [] : ['', ...steps.map(stepLine)]),
    '',
    ...(late.length === 0
      ? ['every campaign is expected within its lateness.max and its deadline']
      : late.flatMap(lateLines)),
    ...(lateCampaigns > late.length
      ? [`and ${lateCampaigns - late.length} more that are expected too late`]
      : []),
  ].join('\n');
}

function projectLine({
  serviceId,
  requests,
  ratePerSecond,
  lateMs,
  drainedAt,
  blocked,
  notPlannedYet,
}: Forecast['projects'][number]): string {
  return [
    `${serviceId}: ${counted(requests, 'request')} at ${ratePerSecond} a second`,
    ...(drainedAt === null ? [] : [`the last leaves at ${at(drainedAt)}`]),
    ...(lateMs > 0 ? [`at most ${lengthText(lateMs)} late`] : []),
    ...(blocked === null ? [] : [`blocked now (${blocked}): as if it were not`]),
    ...(notPlannedYet === 0
      ? []
      : [`${counted(notPlannedYet, 'campaign')} with occurrences that are not planned yet`]),
  ].join('; ');
}

function stepLine({
  at: instant,
  key,
  campaignId,
  requests,
  backlog,
  lateMs,
}: Forecast['steps'][number]): string {
  const waits = backlog === null || backlog === 0 ? '' : `  ${backlog} wait`;
  const late = lateMs === 0 ? '' : `  at most ${lengthText(lateMs)} late`;
  return `${at(instant)}  ${(campaignId ?? key).padEnd(24)} ${String(requests).padStart(8)}${waits}${late}`;
}

function lateLines(one: Forecast['late'][number]): string[] {
  const {
    serviceId,
    campaign,
    campaignId,
    occurrence,
    dueAt,
    missesLateness,
    missesDeadline,
    beyond,
    waysOut,
  } = one;
  const name = `${campaignId ?? `plan ${campaign.slice(0, 12)}`} of ${serviceId}${occurrence === 'once' ? '' : `, ${occurrence}`}`;
  const missed = [
    ...(missesLateness === null
      ? []
      : [
          `up to ${counted(missesLateness.requests, 'request')} beyond lateness.max by ${lengthText(missesLateness.byMs)}${beyond === 'expire' ? ', and expire' : ''}`,
        ]),
    ...(missesDeadline === null
      ? []
      : [
          `up to ${counted(missesDeadline.requests, 'request')} beyond the deadline by ${lengthText(missesDeadline.byMs)}`,
        ]),
  ];
  const { ratePerSecond, pace, jitterMinutes } = waysOut;
  const ways = [
    ...(ratePerSecond === null ? [] : [`a rate of ${ratePerSecond} requests a second for the project`]),
    ...(pace === null
      ? []
      : [`a pace of ${pace.perMinute} a minute, which takes ${counted(pace.minutes, 'minute')}`]),
    ...(jitterMinutes === null ? [] : [`a jitter of PT${jitterMinutes}M`]),
  ];
  return [
    `${name}, due ${at(dueAt)}: ${missed.join('; ')}`,
    `  ${ways.length === 0 ? 'no rate, pace or jitter would help: choose another time' : `any of these would help: ${ways.join('; ')}`}`,
  ];
}

function at(text: string): string {
  return utc(Date.parse(text));
}
