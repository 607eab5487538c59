// carillon rejections list and show: events that were refused, each with every reason.
import { z } from 'zod';
import { askedFor } from '../shell/filters.js';
import { printList, withQuery, type ListOptions } from '../shell/list-of.js';
import { print, type JsonOption } from '../shell/output.js';
import { callScheduler, schedulerApi } from '../shell/scheduler-api.js';
import { utc } from '../shell/text-layout.js';
import { REJECTION_FILTERS } from './rejection-filters.js';

const Problem = z.looseObject({ pointer: z.string(), code: z.string(), text: z.string() });
export const Rejection = z.looseObject({
  id: z.string(),
  serviceId: z.string().nullable(),
  state: z.string(),
  problems: z.array(Problem),
  rejectedAt: z.string(),
  seen: z.looseObject({
    source: z.string().nullable(),
    id: z.string().nullable(),
    subject: z.string().nullable(),
  }),
  via: z.string(),
  settledBy: z.string().nullable(),
  reason: z.string().nullable(),
  replay: z.object({ eventId: z.string(), campaignId: z.string().nullable() }).nullable(),
});
export type Rejection = z.output<typeof Rejection>;
const WholeRejection = Rejection.extend({ event: z.record(z.string(), z.unknown()).nullable() });

export function listRejections(options: ListOptions): Promise<void> {
  return printList(
    {
      role: 'operator',
      path: withQuery('/rejections', askedFor(REJECTION_FILTERS, options)),
      row: Rejection,
      columns: [
        { title: 'id', of: ({ id }) => id },
        { title: 'refused', of: ({ rejectedAt }) => rejectedAt, as: 'instant' },
        { title: 'project', of: ({ serviceId }) => serviceId },
        { title: 'campaign', of: ({ seen }) => seen.subject, as: 'cut' },
        { title: 'state', of: ({ state }) => state, as: 'state' },
        { title: 'via', of: ({ via }) => via },
        { title: 'why', of: ({ problems }) => problems.map(({ code }) => code).join(', '), as: 'cut' },
      ],
      id: ({ id }) => id,
      none: 'no such rejections',
    },
    options,
  );
}

export async function showRejection(id: string, options: JsonOption): Promise<void> {
  const api = schedulerApi({ role: 'operator' });
  const rejection = await callScheduler(api, `/v1/rejections/${encodeURIComponent(id)}`, WholeRejection);
  const { event } = rejection;
  const lines = [
    ...rejectionLines(rejection),
    ...(event === null ? [] : ['event', JSON.stringify(event, null, 2)]),
  ];
  print(options, rejection, lines.join('\n'));
}

export function rejectionLines(rejection: Rejection): string[] {
  const { id, serviceId, state, rejectedAt, seen, via, problems, settledBy, reason, replay } = rejection;
  const settled = settledBy === null ? '' : ` by ${settledBy}${reason === null ? '' : ` (${reason})`}`;
  return [
    `${id} of ${serviceId ?? 'no service'}: ${state}${settled}, refused ${utc(Date.parse(rejectedAt))}, by ${via}`,
    `event ${seen.id ?? 'without an id'} of ${seen.source ?? 'no source'}, campaign ${seen.subject ?? 'without a name'}`,
    ...problems.map(
      ({ pointer, code, text }) => `  - ${pointer === '' ? '' : `${pointer} `}${text} (${code})`,
    ),
    ...(replay === null ? [] : [`taken as ${replay.campaignId ?? replay.eventId}`]),
  ];
}
