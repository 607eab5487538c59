// carillon alerts: what needs a person, or did, and who has taken it up; by HTTP.
import type { z } from 'zod';
import { AlertView } from '../../scheduler/alerts/alert-view.js';
import { printRows, readRows, withQuery, type Listing, type ListOptions } from '../shell/list-of.js';
import { print, type JsonOption } from '../shell/output.js';
import { callScheduler, schedulerApi } from '../shell/scheduler-api.js';
import { utc } from '../shell/text-layout.js';

export interface AlertOptions extends ListOptions {
  readonly ended?: true;
  readonly all?: true;
  readonly service?: string;
}

/** Open ones unless told otherwise. For people each is a paragraph, which says what to do next. */
export async function listAlerts(options: AlertOptions): Promise<void> {
  const { ended, all, service: serviceId, limit } = options;
  const state = all === true ? undefined : ended === true ? 'ended' : 'open';
  const path = withQuery('/alerts', { state, serviceId });
  const rows = await readRows(schedulerApi({ role: 'analyst' }), { path, row: AlertView }, limit);
  if (options.csv === true || options.quiet === true) return printRows(LISTING, rows, options);
  print(options, rows, rows.items.map(alertText).join('\n') || 'no alerts');
}

const LISTING = {
  columns: [
    { title: 'id', of: ({ id }) => id },
    { title: 'cause', of: ({ cause }) => cause },
    { title: 'severity', of: ({ severity }) => severity },
    { title: 'project', of: ({ serviceId }) => serviceId },
    { title: 'since', of: ({ since }) => since },
    { title: 'ended', of: ({ endedAt }) => endedAt },
    { title: 'detail', of: ({ detail }) => detail },
    { title: 'acknowledged by', of: ({ acknowledged }) => acknowledged?.by },
  ],
  id: ({ id }) => id,
  none: 'no alerts',
} satisfies Pick<Listing<z.output<typeof AlertView>>, 'columns' | 'id' | 'none'>;

export async function acknowledgeAlert(id: string, options: JsonOption): Promise<void> {
  const api = schedulerApi({ role: 'operator' });
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
