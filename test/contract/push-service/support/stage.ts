// What the conformance specs stand on: one service under test for a spec file, projects of their own in it, and words
// for what they do again and again.
import { eventually, eventuallyFound } from '../../../support/eventually.js';
import { Management, type Answer, type CallOptions, type Client, type Delivery } from './client.js';
import { startTarget, type OwnGiven, type Target } from './target.js';

export interface Stage {
  readonly target: Target;
  readonly management: Management;
  /** A project of its own, whose client's clock follows the service's. */
  project(settings?: Readonly<Record<string, unknown>>): Promise<Client & { accountId: string }>;
  /** Freezes the service's clock, and that of every project's client. */
  freeze(at: string): Promise<void>;
  /** The service's clock is the machine's again. */
  thaw(): Promise<void>;
  close(): Promise<void>;
}

export async function openStage(
  env: Readonly<Record<string, string>> = {},
  given: OwnGiven = {},
): Promise<Stage> {
  const target = await startTarget(env, given);
  const management = new Management(target);
  // A service outside goes from spec to spec: each finds it, and leaves it, with the machine's clock and no faults.
  const restore = async (): Promise<void> => {
    await management.clearFaults();
    await management.setClock({ mode: 'real' });
  };
  await restore();
  const clients: Client[] = [];
  let now: () => number = Date.now;
  const follow = (next: () => number): void => {
    now = next;
    for (const client of clients) client.now = next;
  };
  return {
    target,
    management,
    project: async (settings) => {
      const client = await management.newService(settings);
      client.now = now;
      clients.push(client);
      return client;
    },
    freeze: async (at) => {
      await management.setClock({ mode: 'frozen', at });
      follow(() => Date.parse(at));
    },
    thaw: async () => {
      await management.setClock({ mode: 'real' });
      follow(Date.now);
    },
    close: async () => {
      await restore();
      await target.close();
    },
  };
}

/** A message to everybody; members given take the place of its own. */
export function message(members: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { target: { type: 'ALL' }, message: { default: { content: 'hello' } }, ...members };
}

let serial = 0;

/** Sends, expects 202, and returns the requestId. A text of its own, so that no two are the same request. */
export async function send(
  client: Client,
  body: Readonly<Record<string, unknown>>,
  options?: CallOptions,
): Promise<string> {
  serial += 1;
  const answer = await client.post('messages', { ...body, unique: serial }, options);
  if (answer.status !== 202) throw new Error(`POST messages was answered ${answer.status}: ${answer.text}`);
  return answer.field('requestId');
}

/** The result once it is final. Throws on any status but 200. */
export async function finalResult(client: Client, requestId: string): Promise<Record<string, unknown>> {
  const answer = await eventuallyFound(async () => {
    const asked = await client.get(`messages/${requestId}`);
    return asked.status === 200 && asked.json()['messageStatusName'] === 'processing' ? undefined : asked;
  });
  if (answer.status !== 200) throw new Error(`GET messages was answered ${answer.status}: ${answer.text}`);
  return answer.json();
}

/** Returns once a reservation of this minute has passed every loop: what was due before it has been fired by then. */
export async function passLoops(client: Client): Promise<void> {
  const reserveTime = new Date(client.now()).toISOString().slice(0, 16).replace('T', ' ');
  const target = { type: 'USER', to: ['nobody'] };
  await finalResult(client, await send(client, message({ target, reserveTime, reserveTimeZone: 'UTC' })));
}

/** The reservation's status once it is `wanted`. */
export async function reserveStatus(client: Client, reserveId: string, wanted: string): Promise<void> {
  await eventually(async () => (await statusOf(client, reserveId)) === wanted);
}

export async function statusOf(client: Client, reserveId: string): Promise<string> {
  return (await client.get(`reservations/${reserveId}/reserve-status`)).field('reserveStatus');
}

/** Who got it, by user id, in order of name. */
export function reached(deliveries: readonly Delivery[]): string[] {
  return deliveries
    .filter(({ outcome }) => outcome === 'sent')
    .map(({ userId }) => userId ?? '?')
    .sort();
}

/** Status, errorCode and message of an error of push-interface.md §7, and the header every answer has. */
export function refusal(answer: Answer): [status: number, errorCode: string, message: string] {
  const { error } = answer.json() as { error?: { errorCode: string; message: string } };
  if (error === undefined) throw new Error(`no error of §7: ${answer.status} ${answer.text}`);
  if (answer.headers['x-request-id'] === undefined) throw new Error('an answer without x-request-id');
  return [answer.status, error.errorCode, error.message];
}
