// carillon status: whether all is well, by HTTP. Ends with 0 where it is, with 1 where something needs a person, with 2 where the
// scheduler does not answer.
import { setTimeout as rest } from 'node:timers/promises';
import type { z } from 'zod';
import { messageOf } from '../../platform/logging/error-code.js';
import { Status } from '../../scheduler/alerts/status/status.js';
import { print, type JsonOption } from '../shell/output.js';
import { callScheduler, schedulerApi } from '../shell/scheduler-api.js';
import { statusText } from './status-text.js';

export interface StatusOptions extends JsonOption {
  /** Seconds between two readings. */
  readonly watch?: number;
}

const NOT_REACHABLE = 2;

export async function showStatus(options: StatusOptions): Promise<void> {
  const api = schedulerApi({ role: 'analyst' });
  const read = (): Promise<z.output<typeof Status>> => callScheduler(api, '/v1/status', Status);
  if (options.watch !== undefined) return watchStatus(options, options.watch, read);
  try {
    const status = await read();
    print(options, status, statusText(status));
    process.exitCode = status.well ? 0 : 1;
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exitCode = NOT_REACHABLE;
  }
}

/** Until Ctrl-C or SIGTERM; the exit code is that of the last reading. */
async function watchStatus(
  options: StatusOptions,
  seconds: number,
  read: () => Promise<Status>,
): Promise<void> {
  const over = new AbortController();
  const end = (): void => over.abort();
  process.once('SIGINT', end).once('SIGTERM', end);
  const clear = process.stdout.isTTY ? '\u001B[H\u001B[J' : '';
  while (!over.signal.aborted) {
    try {
      const status = await read();
      const text = options.json === true ? JSON.stringify(status) : `${clear}${statusText(status)}`;
      process.stdout.write(`${text}\n`);
      process.exitCode = status.well ? 0 : 1;
    } catch (error) {
      process.stderr.write(`${messageOf(error)}\n`);
      process.exitCode = NOT_REACHABLE;
    }
    await rest(seconds * 1_000, undefined, { signal: over.signal }).catch(() => undefined);
  }
  process.removeListener('SIGINT', end).removeListener('SIGTERM', end);
}
