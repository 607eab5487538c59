// The port to a push gateway: what dispatch, follow and operate ask of it, and every way an answer may come. What an
// answer means for a send is read by push-client/answers/read-send-answer.ts and by follow/, never here.
import type { TraceContext } from '../../platform/tracing/trace-context.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';

/** The gateway answered in full, whatever it said. */
export interface Answered {
  readonly kind: 'answered';
  readonly status: number;
  readonly body: string;
  /** Retry-After in milliseconds, where the answer carried one. */
  readonly retryAfterMs?: number | undefined;
  /**
   * Of a 401/200 only: whether something is left to try (a corrected clock, the second key), or both keys are refused.
   */
  readonly keys?: 'try-again' | 'exhausted';
  /** Of a 401/200 or a redirect: the project has another address or other keys by now than it was called with. */
  readonly isOutdated?: true;
}

/** No whole answer came. */
export interface Unanswered {
  readonly kind: 'unanswered';
  /** The client's own signal that the request began to be written; false proves that nothing left. */
  readonly started: boolean;
  /** The status, where the head of an answer came before it was cut. */
  readonly status?: number;
  /** The cause's code, as the client names it. */
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
  /** Told to the gateway beside what is signed. */
  readonly trace?: TraceContext | undefined;
}

/**
 * Writes a request that is made and signed already. To be called once, when it is due. `mayLeave` is asked directly before
 * its first byte is written, which a queue and a connection may put off: where it says no, the answer is unanswered, not
 * started, with the error NOT_LEFT.
 */
export type PreparedCall = (mayLeave: () => boolean) => Promise<PushAnswer>;
export const NOT_LEFT = 'NOT_LEFT';

/** Whether it was this process that kept it. */
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

/** What a gateway knows of its users, channels and schedules; like PushApi it never repeats a request and never rejects. */
export interface UserApi {
  /** push-interface.md §4.1 GET users/{userId}. */
  user(serviceId: string, userId: string): Promise<PushAnswer>;
  /** Extension `target-timezone`: GET users/timezones, of the whole service or of one channel; `page` from 0. */
  userTimezones(serviceId: string, channelName: string | undefined, page: number): Promise<PushAnswer>;
  /** push-interface.md §4.2 GET channels: those whose name has this part; `page` from 0. */
  channels(serviceId: string, channelName: string, page: number): Promise<PushAnswer>;
  /** push-decisions.md, "Schedule registration" GET schedules, where the gateway has it: as channels(). */
  schedules(serviceId: string, scheduleCode: string, page: number): Promise<PushAnswer>;
}
