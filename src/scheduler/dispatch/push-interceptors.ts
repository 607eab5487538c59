// Cross-cutting behaviour of calls to a push gateway, as undici interceptors: signing and a limit on the whole call.
// Composed last = outermost. None repeats a request.
import type { Dispatcher } from 'undici';
import {
  ACCESS_KEY_HEADER,
  API_KEY_HEADER,
  SIGNATURE_HEADER,
  TIMESTAMP_HEADER,
} from '../../push-contract/headers.js';
import { sign } from '../../push-contract/signature.js';
import type { Secret } from '../../platform/env.js';
import type { EpochMs } from '../../platform/clock.js';

/** What a request is signed with; rides on the dispatch options. */
export interface SignedWith {
  readonly accessKey: string;
  readonly secretKey: Secret;
  readonly apiKey: Secret | undefined;
  readonly timestamp: EpochMs;
}

export interface PushDispatchOptions extends Dispatcher.DispatchOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly signedWith: SignedWith;
}

/** Thrown into a call that took longer than its limit. */
export class CallTimeoutError extends Error {
  readonly code = 'CALL_TIMEOUT';
}

/** §5: signs the raw target exactly as it is sent. */
export function signing(): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const { signedWith: used, headers, ...rest } = options as PushDispatchOptions;
    const timestamp = String(used.timestamp);
    const signature = sign(rest.method, rest.path, timestamp, used.accessKey, used.secretKey.reveal());
    const signed: Record<string, string> = {
      ...headers,
      [TIMESTAMP_HEADER]: timestamp,
      [ACCESS_KEY_HEADER]: used.accessKey,
      [SIGNATURE_HEADER]: signature,
      ...(used.apiKey === undefined ? {} : { [API_KEY_HEADER]: used.apiKey.reveal() }),
    };
    return dispatch({ ...rest, headers: signed }, handler);
  };
}

/** Ends the whole call (queue, connect, write, answer) after `ms` real milliseconds, whatever trickles in. */
export function timeLimit(ms: number): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    let running: Dispatcher.DispatchController | undefined;
    let late: CallTimeoutError | undefined;
    const timer = setTimeout(() => {
      late = new CallTimeoutError('the call took too long');
      if (running !== undefined) running.abort(late);
      // Still in the queue or connecting: it is over now, and onRequestStart keeps it from being written.
      else handler.onResponseError?.(ended(late), late);
    }, ms);
    const limited: Dispatcher.DispatchHandler = {
      onRequestStart(controller, context) {
        if (late !== undefined) {
          controller.abort(late);
          return;
        }
        running = controller;
        handler.onRequestStart?.(controller, context);
      },
      onRequestUpgrade: (...args) => handler.onRequestUpgrade?.(...args),
      onResponseStart: (...args) => handler.onResponseStart?.(...args),
      onResponseData: (...args) => handler.onResponseData?.(...args),
      onResponseEnd(controller, trailers) {
        clearTimeout(timer);
        handler.onResponseEnd?.(controller, trailers);
      },
      onResponseError(controller, error) {
        clearTimeout(timer);
        if (late === undefined || running !== undefined) handler.onResponseError?.(controller, error);
      },
    };
    try {
      return dispatch(options, limited);
    } catch (error) {
      clearTimeout(timer);
      throw error;
    }
  };
}

/** The controller of a request that was never begun. */
function ended(reason: Error): Dispatcher.DispatchController {
  const nothing = (): void => undefined;
  return { aborted: true, paused: false, reason, abort: nothing, pause: nothing, resume: nothing };
}
