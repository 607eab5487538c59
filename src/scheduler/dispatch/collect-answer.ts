// One request over an undici dispatcher, and everything that may come of it as a value. The started flag is the
// client's own signal that the request began to be written: error codes and byte counts prove nothing.
import type { Dispatcher } from 'undici';
import { errorCode } from '../../platform/error-code.js';
import type { Unanswered } from '../decide/push-api.js';

export interface RawAnswer {
  readonly kind: 'raw';
  readonly status: number;
  /** The first value of a header, by its name in lower case. */
  readonly header: (name: string) => string | undefined;
  readonly body: string;
}

/** Of a result, which echoes the message (1 MiB by default), with room to spare. More counts as cut. */
const MAX_ANSWER_BYTES = 8 * 1_048_576;

class AnswerTooLongError extends Error {
  readonly code = 'ANSWER_TOO_LONG';
}

/** Never rejects. */
export async function collectAnswer(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
): Promise<RawAnswer | Unanswered> {
  return new Promise((resolve) => {
    let started = false;
    let status: number | undefined;
    let headers: Readonly<Record<string, string | string[] | undefined>> = {};
    const header = (name: string): string | undefined => {
      const value = headers[name];
      return Array.isArray(value) ? value[0] : value;
    };
    let size = 0;
    const chunks: Buffer[] = [];
    const failed = (error: unknown): void => {
      const code = codeOf(error);
      resolve({
        kind: 'unanswered',
        started,
        error: code,
        timedOut: /TIMEOUT/.test(code),
        ...(status === undefined ? {} : { status }),
      });
    };
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart() {
        started = true;
      },
      onResponseStart(_, statusCode, received) {
        if (statusCode < 200) return;
        status = statusCode;
        headers = received;
      },
      onResponseData(controller, chunk) {
        size += chunk.length;
        if (size > MAX_ANSWER_BYTES) controller.abort(new AnswerTooLongError('the answer is too long'));
        else chunks.push(chunk);
      },
      onResponseEnd() {
        if (status === undefined) failed(new Error('an answer without a status'));
        else resolve({ kind: 'raw', status, header, body: Buffer.concat(chunks).toString('utf8') });
      },
      onResponseError: (_, error) => failed(error),
    };
    try {
      dispatcher.dispatch(options, handler);
    } catch (error) {
      failed(error);
    }
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error ? errorCode(error) || error.name : 'UNKNOWN';
}
