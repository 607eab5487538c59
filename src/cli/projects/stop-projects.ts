// carillon projects show, stop and start, and carillon stop and start, which are for all projects of the token: by HTTP, as an operator.
import { z } from 'zod';
import { print, type JsonOption } from '../shell/output.js';
import { callScheduler, schedulerApi } from '../shell/scheduler-api.js';
import { counted, utc } from '../shell/text-layout.js';

export interface StopOptions extends JsonOption {
  readonly reason?: string;
  readonly recall?: true;
  readonly preview?: true;
}

const counts = {
  held: z.number(),
  atPushService: z.object({
    reservations: z.number(),
    next: z.string().nullable(),
    standing: z.number(),
    inFlight: z.number(),
  }),
};
const Counts = z.object(counts);
type Counts = z.output<typeof Counts>;
const stands = {
  serviceId: z.string(),
  blocked: z
    .object({
      code: z.string(),
      detail: z.string().nullable(),
      until: z.string().nullable(),
      by: z.string().nullable(),
    })
    .nullable(),
  recalled: z.boolean(),
};
const Stopped = z.object({ ...stands, changed: z.boolean(), ...counts });
type Stopped = z.output<typeof Stopped>;
const Project = z.object({
  ...stands,
  baseUrl: z.string(),
  warnings: z.array(z.string()),
  stopped: Counts.nullable(),
  dispatch: z.object({
    troubles: z.array(
      z.object({ code: z.string(), detail: z.string().nullable(), processes: z.number(), since: z.string() }),
    ),
  }),
});

/** serviceId undefined: all projects that the token holds. */
export async function stopOrStart(
  act: 'stop' | 'start',
  serviceId: string | undefined,
  options: StopOptions,
): Promise<void> {
  const { reason, recall, preview } = options;
  const path = serviceId === undefined ? '/v1' : `/v1/projects/${encodeURIComponent(serviceId)}`;
  const schema = serviceId === undefined ? z.object({ projects: z.array(Stopped) }) : Stopped;
  const answer = await callScheduler(
    schedulerApi({ role: 'operator' }),
    `${path}/${act}${preview === true ? '?preview=true' : ''}`,
    schema,
    JSON.stringify({ reason, recall }),
  );
  const projects = 'projects' in answer ? answer.projects : [answer];
  const texts = projects.map((one) => (act === 'stop' ? stopText(one, options) : startText(one, options)));
  const end = preview === true ? ['Nothing was changed.'] : [];
  print(options, answer, [...(texts.length === 0 ? ['There are no projects.'] : texts), ...end].join('\n'));
}

export async function showProject(serviceId: string, options: JsonOption): Promise<void> {
  const api = schedulerApi({ role: 'operator' });
  const project = await callScheduler(api, `/v1/projects/${encodeURIComponent(serviceId)}`, Project);
  const { baseUrl, blocked, recalled, warnings, stopped, dispatch } = project;
  const until = blocked?.until ?? null;
  const lines = [
    blocked === null
      ? `${serviceId} at ${baseUrl}: not blocked`
      : `${serviceId} at ${baseUrl}: blocked, ${blocked.code}${blocked.detail === null ? '' : ` (${blocked.detail})`}` +
        (until === null ? ', until somebody starts it' : `, until ${utc(Date.parse(until))}`),
    ...(blocked === null || blocked.by === null
      ? []
      : [`stopped${recalled ? ' with a recall' : ''} by ${blocked.by}`]),
    ...(stopped === null ? [] : countLines(stopped, recalled)),
    ...dispatch.troubles.map(
      ({ code, detail, processes, since }) =>
        `${code} in ${processes === 1 ? '1 process' : `${processes} processes`} since ${utc(Date.parse(since))}${detail === null ? '' : ` (${detail})`}`,
    ),
    ...warnings.map((warning) => `Warning: ${warning}.`),
  ];
  print(options, project, lines.join('\n'));
}

function stopText(one: Stopped, { recall, preview }: StopOptions): string {
  const done = one.changed ? 'is stopped' : 'was stopped before';
  const isRecalled = recall === true || one.recalled;
  return [
    `${one.serviceId} ${preview === true ? 'would be stopped' : done}.`,
    ...countLines(one, isRecalled),
  ].join('\n');
}

/** What a stop holds and what it does not. */
function countLines({ held, atPushService }: Counts, isRecalled: boolean): string[] {
  const { reservations, next, standing, inFlight } = atPushService;
  const first = next === null ? '' : `, the next at ${utc(Date.parse(next))}`;
  const becomes = isRecalled ? 'asked back' : 'still delivered';
  return [
    `  held: ${counted(held, 'send')}`,
    ...(reservations > 0
      ? [`  ${becomes}: ${counted(reservations, 'reservation')} at the push service${first}`]
      : []),
    ...(standing > 0
      ? [`  ${becomes}: ${counted(standing, 'standing send')} under schedules of the push service`]
      : []),
    ...(inFlight > 0 ? [`  undecided: ${counted(inFlight, 'send')} whose answer is awaited`] : []),
    ...(reservations + standing + inFlight === 0 ? ['  the push service holds nothing of it'] : []),
  ];
}

function startText({ serviceId, changed, held }: Stopped, { preview }: StopOptions): string {
  if (preview === true)
    return `${serviceId} would be started: ${counted(held, 'send')} did not leave so far, those of paused campaigns among them.`;
  return changed
    ? `${serviceId} is started. What a pause holds stays held; late sends follow the lateness of their policy.`
    : `${serviceId} was not blocked.`;
}
