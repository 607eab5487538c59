// A limit on the whole of a call to a push gateway, as an undici interceptor.
import type { Dispatcher } from 'undici';

/** Thrown into a call that took longer than its limit. */
export class CallTimeoutError extends Error {
  readonly code = 'CALL_TIMEOUT';
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
