// Which answers an event of GET /v1/stream makes old (docs/use/dashboard-api.md, "Live events"). An event is a hint to read again, so one that
// nobody knows makes nothing old. Pure.
import type { QueryKey } from '@tanstack/react-query';

export const STREAM_EVENTS = ['campaign', 'attention', 'project', 'set', 'alert', 'reset'] as const;
export type StreamEvent = (typeof STREAM_EVENTS)[number];

/** What of an event's data names its subject. */
export interface StreamData {
  /** Our id. */
  readonly campaign?: string;
  /** Of a set of retries or resolves. */
  readonly token?: string;
}

/** An answer of which nothing changes by itself: the session, and the preview that an open sheet is confirmed by. */
const STILL: readonly unknown[] = ['session', 'sheet', 'plan-preview', 'search'];

/** Nouns of which every answer is old. */
const NOUNS_OF: Readonly<Record<Exclude<StreamEvent, 'reset'>, readonly unknown[]>> = {
  campaign: ['campaigns', 'send'],
  attention: ['status', 'failures'],
  project: ['status', 'projects', 'project'],
  set: [],
  alert: ['status', 'alerts'],
};

/** Reads a query's key: the noun first, then its id or its filter (web/src/api). */
export function isChanged([noun, subject]: QueryKey, event: StreamEvent, data: StreamData): boolean {
  if (STILL.includes(noun)) return false;
  if (event === 'reset' || NOUNS_OF[event].includes(noun)) return true;
  if (event === 'campaign') return concerns(noun, subject, data.campaign);
  return event === 'set' && (noun === 'retries' || noun === 'resolves') && subject === data.token;
}

function concerns(noun: unknown, subject: unknown, campaign: string | undefined): boolean {
  if (noun === 'campaign') return subject === campaign;
  if (noun !== 'sends') return false;
  const { campaign: of } = subject as { readonly campaign?: string };
  return of === undefined || of === campaign;
}
