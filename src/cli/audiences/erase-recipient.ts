// carillon recipients erase: asks for the erasure of a user over HTTP, and with --wait prints its certificate when it is done.
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { callApi, refusalOf } from '../shell/call-api.js';
import { print, type JsonOption } from '../shell/output.js';
import { schedulerApi } from '../shell/scheduler-api.js';
import { counted } from '../shell/text-layout.js';

export interface EraseOptions extends JsonOption {
  readonly service: string;
  readonly wait?: true;
}

const Erasure = z.object({
  id: z.string(),
  state: z.enum(['running', 'done']),
  pass: z.number(),
  waits: z.number(),
  userHash: z.string(),
  removed: z.array(z.object({ table: z.string(), rows: z.number() })),
  notHere: z.array(z.string()),
});
type Erasure = z.output<typeof Erasure>;

const ASK_AGAIN_MS = 1_000;

export async function eraseRecipient(userId: string, options: EraseOptions): Promise<void> {
  const query = new URLSearchParams({ serviceId: options.service });
  let erasure = await asked('DELETE', `/v1/recipients/${encodeURIComponent(userId)}?${query.toString()}`);
  while (options.wait === true && erasure.state === 'running') {
    await wait(ASK_AGAIN_MS);
    erasure = await asked('GET', `/v1/erasures/${erasure.id}`);
  }
  print(options, erasure, textOf(erasure));
}

async function asked(method: 'GET' | 'DELETE', path: string): Promise<Erasure> {
  const api = schedulerApi({ role: 'admin' });
  const answer = await callApi(api, method, path);
  const value = Erasure.safeParse(answer.json);
  if (!answer.ok || !value.success) throw refusalOf(api, answer);
  return value.data;
}

function textOf({ id, state, pass, waits, userHash, removed, notHere }: Erasure): string {
  return [
    `Erasure ${id} of ${userHash} is ${state}, pass ${pass}${waits > 0 ? `; ${counted(waits, 'row')} wait` : ''}.`,
    ...removed.map(({ table, rows }) => `  ${table}: ${counted(rows, 'row')}`),
    ...(state === 'done' ? ['The id may still be in:', ...notHere.map((text) => `  ${text}`)] : []),
    ...(state === 'running' ? [`GET /v1/erasures/${id} says how far it is.`] : []),
  ].join('\n');
}
