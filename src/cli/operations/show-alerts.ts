// carillon alerts: what needs a person, or did, and who has taken it up; by HTTP.
import { z } from 'zod';
import { pageSchema } from '../../platform/http/paging.js';
import { AlertView } from '../../scheduler/alerts/alert-view.js';
import { print, type JsonOption } from '../shell/output.js';
import { callScheduler, schedulerApi } from '../shell/scheduler-api.js';
import { utc } from '../shell/text-layout.js';

export interface AlertOptions extends JsonOption {
  readonly ended?: true;
  readonly all?: true;
  readonly service?: string;
  readonly limit: number;
}

const AlertPage = pageSchema(AlertView);
const WHY = 'this command asks the scheduler: ';

/** Open ones unless told otherwise. */
export async function listAlerts({ ended, all, service, limit, ...options }: AlertOptions): Promise<void> {
  const api = schedulerApi({ role: 'analyst', why: WHY });
  const query = new URLSearchParams({
    limit: String(limit),
    ...(all !== true && { state: ended === true ? 'ended' : 'open' }),
    ...(service !== undefined && { serviceId: service }),
  });
  const { items } = await callScheduler(api, `/v1/alerts?${query.toString()}`, AlertPage);
  print(options, items, items.map(alertText).join('\n') || 'no alerts');
}

export async function acknowledgeAlert(id: string, options: JsonOption): Promise<void> {
  const api = schedulerApi({ role: 'operator', why: WHY });
  const alert = await callScheduler(api, `/v1/alerts/${encodeURIComponent(id)}/acknowledge`, AlertView, '{}');
  print(options, alert, alertText(alert));
}

function alertText(alert: z.output<typeof AlertView>): string {
  const { id, cause, severity, serviceId, since, endedAt, detail, nextStep, runbook, acknowledged } = alert;
  const until = endedAt === null ? '' : ` until ${utc(Date.parse(endedAt))}`;
  const of = serviceId === null ? '' : ` of ${serviceId}`;
  const taken = acknowledged === null ? [] : [`  acknowledged by ${acknowledged.by}`];
  return [
    `${id}  ${severity} ${cause}${of} since ${utc(Date.parse(since))}${until}: ${detail}`,
    ...taken,
    ...(endedAt === null ? [`  ${nextStep} (${runbook})`] : []),
  ].join('\n');
}
