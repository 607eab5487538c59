// The events of test/vectors/bad-events.jsonl, made of a good one: each row says what is changed, and every reason that it
// is refused for. What it says of the database holds where `standing()` was taken first.
import { randomUUID } from 'node:crypto';
import type { RawEvent } from '../../../src/scheduler/accept/parse/raw-event.js';
import { vectorRows } from '../vectors.js';

type Json = Record<string, unknown>;

export interface BadEvent {
  readonly category: string;
  readonly says: string;
  /** Whether the event is a cancel; else it is a campaign. */
  readonly command?: true;
  /** Members by their JSON pointer; see `made` for the values that are too large to write down. */
  readonly set?: Readonly<Record<string, unknown>>;
  readonly remove?: readonly string[];
  /** In the event's text, once. */
  readonly replace?: readonly [what: string, by: string];
  /** The whole body in place of an event. */
  readonly body?: string;
  readonly base64?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: string;
  readonly keyBase64?: string;
  /** Where it is refused for this; everywhere without it. */
  readonly only?: RawEvent['via'];
  /** Every reason of the refusal, in order. */
  readonly expect: readonly { readonly pointer: string; readonly code: string }[];
}

export const badEvents: readonly BadEvent[] = vectorRows<BadEvent>('bad-events.jsonl');

export interface Made {
  readonly body: Buffer;
  readonly key: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** A good event at `now`, epoch milliseconds. */
export function goodEvent(subject: string, now: number, command = false): Json {
  const data = {
    messageType: 'NOTIF',
    audience: { type: 'CHANNEL', to: ['vip'] },
    message: { default: { content: 'hello' } },
    delivery: { now: true },
  };
  return {
    specversion: '1.0',
    id: randomUUID(),
    source: '/shop/promotions',
    type: `carillon.campaign.${command ? 'canceled' : 'scheduled'}.v1`,
    subject,
    time: new Date(now).toISOString(),
    datacontenttype: 'application/json',
    data: { serviceId: 'shop-app', ...(!command && data) },
  };
}

/** What the category `standing` speaks of: a campaign that goes out in ten years. */
export function standing(now: number): Json {
  const event = goodEvent('standing', now);
  const delivery = { at: '2037-03-01T09:00', zone: 'Asia/Seoul' };
  return { ...event, id: 'standing-1', data: { ...(event['data'] as Json), delivery } };
}

export function badEvent(row: BadEvent, now: number): Made {
  const headers = row.headers ?? {};
  if (row.body !== undefined) return { body: Buffer.from(row.body), key: null, headers };
  if (row.base64 !== undefined) return { body: Buffer.from(row.base64, 'base64'), key: null, headers };
  const event = goodEvent(`bad-${randomUUID()}`, now, row.command);
  for (const [pointer, value] of Object.entries(row.set ?? {})) put(event, pointer, made(value, now));
  for (const pointer of row.remove ?? []) put(event, pointer, undefined);
  const text = JSON.stringify(event);
  const [what, by] = row.replace ?? ['', ''];
  if (!text.includes(what)) throw new Error(`${row.says}: the event has no ${what}`);
  const key = row.keyBase64 === undefined ? row.key : Buffer.from(row.keyBase64, 'base64');
  return {
    body: Buffer.from(text.replace(what, () => by)),
    key: key === undefined ? null : Buffer.from(key),
    headers,
  };
}

function put(root: Json, pointer: string, value: unknown): void {
  const names = pointer
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = names.pop() ?? '';
  let here = root;
  for (const name of names) here = here[name] as Json;
  if (value === undefined) delete here[last];
  else here[last] = value;
}

/** `$time`: seconds from now; `$text`: a text so many times; `$list`: that many names; `$nest`: lists in lists. */
function made(value: unknown, now: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => made(one, now));
  const given = value as Json;
  if ('$time' in given) return new Date(now + Number(given['$time']) * 1_000).toISOString();
  if ('$text' in given) {
    const [text, times] = given['$text'] as [string, number];
    return text.repeat(times);
  }
  if ('$list' in given) {
    const [name, count] = given['$list'] as [string, number];
    return Array.from({ length: count }, (_, index) => `${name}${index}`);
  }
  if ('$members' in given) {
    const [name, count, content] = given['$members'] as [string, number, string];
    return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${index}`, content]));
  }
  if ('$nest' in given)
    return JSON.parse('['.repeat(Number(given['$nest'])) + ']'.repeat(Number(given['$nest'])));
  return Object.fromEntries(Object.entries(given).map(([name, inner]) => [name, made(inner, now)]));
}
