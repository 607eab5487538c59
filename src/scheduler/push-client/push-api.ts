// The port to a push gateway: what dispatch, follow and operate ask of it, and every way a call may end. What an answer means
// for a send, push-client/answers/read-send-answer.ts and follow/ read, never this file.
import type { TraceContext } from '../../platform/tracing/trace-context.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';

/** The gateway answered in full, whatever it said. */
export interface Answered {
  readonly kind: 'answered';
  readonly status: number;
  readonly body: string;
  /** Retry-After in milliseconds, if the answer carried one. */
  readonly retryAfterMs?: number | undefined;
  /** Only of a 401/200: whether something is left to try (a corrected clock, the second key), or every key was refused. */
  readonly keys?: 'try-again' | 'exhausted';
  /** Only after a 401/200 or a redirect: the project's address or keys have changed since it was called. */
  readonly isOutdated?: true;
}

/** No complete answer came. */
export interface Unanswered {
  readonly kind: 'unanswered';
  /** The client's own signal that the request began to be written; false proves that nothing left. */
  readonly started: boolean;
  /** The status, if the head of an answer came before it was cut off. */
  readonly status?: number;
  /** The code of the cause, as the client names it. */
  readonly error: string;
  readonly timedOut: boolean;
}

export type PushAnswer = Answered | Unanswered;

export interface SendCall {
  readonly serviceId: string;
  /** Our id of the send: the Idempotency-Key, where the project has the extension. */
  readonly sendId: string;
  /** The body, byte for byte. */
  readonly body: string;
  /** The instant it is signed for: a moment ahead, or now. */
  readonly at: EpochMs;
  /** Given to the gateway in headers that are not signed. */
  readonly trace?: TraceContext | undefined;
}

/**
 * Writes a request that is made and signed already. Call it once, when the request is due. `mayLeave` is asked directly before
 * the first byte is written, which a queue and a connection may delay; if it says no, the call ends unanswered, not started,
 * with the error NOT_LEFT.
 */
export type PreparedCall = (mayLeave: () => boolean) => Promise<PushAnswer>;
export const NOT_LEFT = 'NOT_LEFT';

/** Whether it was this process that did not let the request leave. */
export function isNotLeft(answer: PushAnswer): boolean {
  return answer.kind === 'unanswered' && !answer.started && answer.error === NOT_LEFT;
}

/** Never repeats a request, never rejects for what a gateway or network does. */
export interface PushApi {
  /** push-interface.md §4.3 POST messages. */
  prepareSend(call: SendCall): Promise<PreparedCall>;
  /** push-interface.md §4.4 DELETE reservations/{reserveId}; `trace` as of a SendCall. */
  cancelReservation(serviceId: string, reserveId: string, trace?: TraceContext): Promise<PushAnswer>;
  /** push-interface.md §4.4 DELETE schedules/{scheduleCode}/messages/{messageId}. */
  cancelScheduled(
    serviceId: string,
    scheduleCode: string,
    messageId: string,
    trace?: TraceContext,
  ): Promise<PushAnswer>;
  /** push-interface.md §4.4 GET reserve-status. */
  reserveStatus(serviceId: string, reserveId: string): Promise<PushAnswer>;
  /** push-interface.md §4.3 GET messages/{requestId}. */
  result(serviceId: string, requestId: string): Promise<PushAnswer>;
  /** Extension `result-breakdown`: GET messages/{requestId}/breakdown; `page` from 0. */
  breakdown(serviceId: string, requestId: string, page: number): Promise<PushAnswer>;
}

/** What a gateway knows of its users, channels and schedules. Like PushApi, it never repeats a request and never rejects. */
export interface UserApi {
  /** push-interface.md §4.1 GET users/{userId}. */
  user(serviceId: string, userId: string): Promise<PushAnswer>;
  /** Extension `user-timezones`: POST timezones, the registered offsets of at most MAX_TIMEZONES_OF users. */
  timezonesOf(serviceId: string, userIds: readonly string[]): Promise<PushAnswer>;
  /** Extension `target-timezone`: GET timezones, of the whole service or of one channel; `page` from 0. */
  timezones(serviceId: string, channelName: string | undefined, page: number): Promise<PushAnswer>;
  /** push-interface.md §4.2 GET channels: those whose name contains this; `page` from 0. */
  channels(serviceId: string, channelName: string, page: number): Promise<PushAnswer>;
  /** push-decisions.md, "Schedule registration" GET schedules, if the gateway has it: as channels(). */
  schedules(serviceId: string, scheduleCode: string, page: number): Promise<PushAnswer>;
}
