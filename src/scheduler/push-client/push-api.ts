// The port to a push gateway for dispatch, follow and operate, and every way in which a call may end. This file does not interpret
// answers: push-client/answers/ does.
import type { TraceContext } from '../../platform/tracing/trace-context.js';
import type { Extension } from '../../push-contract/headers.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';

/** A complete answer came, whatever it says. */
export interface Answered {
  readonly kind: 'answered';
  readonly status: number;
  readonly body: string;
  /** Retry-After in milliseconds, if the answer carried one. */
  readonly retryAfterMs?: number | undefined;
  /** The extensions that the gateway offers by this answer; undefined: it does not say, because something else may have answered. */
  readonly offers?: readonly Extension[] | undefined;
  /** Only after a 401/200: whether something is left to try (a corrected clock, the second key) or every key was refused. */
  readonly keys?: 'try-again' | 'exhausted';
  /** Only after a 401/200 or a redirect: the project's address or keys have changed since it was called. */
  readonly isOutdated?: true;
}

/** No complete answer came. */
export interface Unanswered {
  readonly kind: 'unanswered';
  /** The HTTP client's signal that it began to write the request; false proves that nothing was sent. */
  readonly started: boolean;
  /** The status, if the headers of an answer came before it was cut off. */
  readonly status?: number;
  /** The code of the cause, as the client names it. */
  readonly error: string;
  readonly timedOut: boolean;
}

export type PushAnswer = Answered | Unanswered;

export interface SendCall {
  readonly serviceId: string;
  readonly sendId: string;
  /** The Idempotency-Key. It is sent to every gateway, unless the project has switched that extension off. */
  readonly key: string;
  /** The body, byte for byte. */
  readonly body: string;
  /** The instant for which it is signed: when it leaves. */
  readonly at: EpochMs;
  /** Sent to the gateway in headers that are not signed. */
  readonly trace?: TraceContext | undefined;
}

/**
 * Writes a request that is built and signed already. Call it once, when the request is due. `mayLeave` is asked directly before the
 * first byte is written; until then the request may wait in a queue or for a connection. If it returns false, the call ends
 * unanswered, not started, with the error NOT_LEFT.
 */
export type PreparedCall = (mayLeave: () => boolean) => Promise<PushAnswer>;
export const NOT_LEFT = 'NOT_LEFT';

/** Whether `mayLeave` of this process held the request back. */
export function isNotLeft(answer: PushAnswer): boolean {
  return answer.kind === 'unanswered' && !answer.started && answer.error === NOT_LEFT;
}

/** Never repeats a request, and never rejects because of a gateway or the network. */
export interface PushApi {
  /** push-interface.md §4.3 POST messages. */
  prepareSend(call: SendCall): Promise<PreparedCall>;
  /** push-interface.md §4.4 DELETE reservations/{reserveId}; `trace`: see SendCall. */
  cancelReservation(serviceId: string, reserveId: string, trace?: TraceContext): Promise<PushAnswer>;
  /** push-interface.md §4.4 DELETE schedules/{scheduleCode}/messages/{messageId}. */
  cancelScheduled(
    serviceId: string,
    scheduleCode: string,
    messageId: string,
    trace?: TraceContext,
  ): Promise<PushAnswer>;
  /** Extension `close-key`: PUT messages/keys/{key}. Repeating it changes nothing. */
  closeKey(serviceId: string, key: string): Promise<PushAnswer>;
  /** push-interface.md §4.4 GET reserve-status. */
  reserveStatus(serviceId: string, reserveId: string): Promise<PushAnswer>;
  /** push-interface.md §4.3 GET messages/{requestId}. */
  result(serviceId: string, requestId: string): Promise<PushAnswer>;
  /** Extension `result-breakdown`: GET messages/{requestId}/breakdown; `page` from 0. */
  breakdown(serviceId: string, requestId: string, page: number): Promise<PushAnswer>;
}

/** Reads a gateway's users, channels and schedules. Like PushApi, it never repeats a request and never rejects. */
export interface UserApi {
  /** push-interface.md §4.1 GET users/{userId}. */
  user(serviceId: string, userId: string): Promise<PushAnswer>;
  /** Extension `user-timezones`: POST timezones, for the registered offsets of at most MAX_TIMEZONES_OF users. */
  timezonesOf(serviceId: string, userIds: readonly string[]): Promise<PushAnswer>;
  /** Extension `target-timezone`: GET timezones, of the whole service or of one channel; `page` from 0. */
  timezones(serviceId: string, channelName: string | undefined, page: number): Promise<PushAnswer>;
  /** push-interface.md §4.2 GET channels: those whose name contains this; `page` from 0. */
  channels(serviceId: string, channelName: string, page: number): Promise<PushAnswer>;
  /** push-decisions.md, "Schedule registration" GET schedules, if the gateway has it; otherwise like channels(). */
  schedules(serviceId: string, scheduleCode: string, page: number): Promise<PushAnswer>;
}
