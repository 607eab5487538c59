// carillon sends show, retry and resolve: one send, what was called for it, and what an operator does about it.
import { z } from 'zod';
import { print, type JsonOption } from '../shell/output.js';
import { callScheduler, schedulerApi } from '../shell/scheduler-api.js';
import { counted, utc } from '../shell/text-layout.js';
import { UsageError } from '../shell/usage-error.js';
import { Send } from './send.js';

const WholeSend = Send.extend({
  history: z.array(
    z.looseObject({
      at: z.string(),
      by: z.string(),
      to: z.string(),
      code: z.string().nullable(),
      detail: z.string().nullable(),
    }),
  ),
});
const Attempts = z.object({
  items: z.array(
    z.looseObject({
      attempt: z.number(),
      kind: z.string(),
      startedAt: z.string(),
      httpStatus: z.number().nullable(),
      errorCode: z.string().nullable(),
      answer: z.string().nullable(),
      outcome: z.string().nullable(),
    }),
  ),
});
const Retried = z.looseObject({ id: z.string() });

export async function showSend(id: string, options: JsonOption): Promise<void> {
  const api = schedulerApi({ role: 'analyst' });
  const path = `/v1/sends/${encodeURIComponent(id)}`;
  const send = await callScheduler(api, path, WholeSend);
  const { items: attempts } = await callScheduler(api, `${path}/attempts`, Attempts);
  const { history } = send;
  const lines = [
    ...sendLines(send),
    'history',
    ...history.map(
      ({ at, by, to, code, detail }) => `  ${moment(at)}  ${to}${because(code, detail)}  by ${by}`,
    ),
    ...(attempts.length === 0 ? ['no call was made for it'] : ['calls']),
    ...attempts.map(({ attempt, kind, startedAt, httpStatus, errorCode, answer, outcome }) => {
      const said = [httpStatus, errorCode, outcome].filter((one) => one !== null).join(' ');
      return `  ${attempt}. ${kind} at ${moment(startedAt)}: ${said || 'under way'}${answer === null ? '' : `  ${answer}`}`;
    }),
  ];
  print(options, { ...send, attempts }, lines.join('\n'));
}

function sendLines(send: Send): string[] {
  const { id, serviceId, campaignId, campaign, occurrence, zone, mode, dueAt, target, sent } = send;
  const { state, code, detail, recipients, requestId, retryOf } = send;
  const facts = [
    ...(occurrence === 'once' ? [] : [occurrence]),
    zone ?? 'no zone',
    mode,
    ...(dueAt === null ? [] : [`due ${moment(dueAt)}`]),
    ...(recipients === null ? [] : [counted(recipients, 'user')]),
  ];
  return [
    `${id}: ${state}${because(code, detail)}`,
    `of ${serviceId}/${campaignId ?? campaign}: ${facts.join(', ')}`,
    ...(requestId === null ? [] : [`request ${requestId} of the push service`]),
    ...(target === null ? [] : [`devices: ${target} targeted, ${sent ?? 0} taken by a provider`]),
    ...(retryOf === null ? [] : [`a retry of ${retryOf}`]),
  ];
}

const moment = (at: string): string => utc(Date.parse(at));

function because(code: string | null, detail: string | null): string {
  if (code === null && detail === null) return '';
  return ` (${[code, detail].filter((one) => one !== null).join(': ')})`;
}

export interface RetryOptions extends JsonOption {
  readonly acceptDuplicates?: true;
}

export async function retrySend(id: string, options: RetryOptions): Promise<void> {
  const api = schedulerApi({ role: 'operator' });
  const body = JSON.stringify({ acceptDuplicates: options.acceptDuplicates === true });
  const made = await callScheduler(api, `/v1/sends/${encodeURIComponent(id)}/retry`, Retried, body);
  print(options, made, `${id} is retried as ${made.id}; "carillon sends show ${made.id}" follows it`);
}

export interface ResolveOptions extends JsonOption {
  readonly sent?: true;
  readonly notSent?: true;
  readonly requestId?: string;
  readonly reason?: string;
}

/** `--sent` or `--not-sent`, and not both. */
export function resolutionOf({ sent, notSent }: Pick<ResolveOptions, 'sent' | 'notSent'>): string {
  if ((sent === true) === (notSent === true))
    throw new UsageError('say what became of it: --sent, or --not-sent');
  return sent === true ? 'confirmed-sent' : 'confirmed-not-sent';
}

export async function resolveSend(id: string, options: ResolveOptions): Promise<void> {
  const resolution = resolutionOf(options);
  const { requestId, reason } = options;
  const api = schedulerApi({ role: 'operator' });
  const body = JSON.stringify({ resolution, requestId, reason });
  const send = await callScheduler(api, `/v1/sends/${encodeURIComponent(id)}/resolve`, Send, body);
  print(options, send, sendLines(send).join('\n'));
}
