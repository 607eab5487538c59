// carillon rejections replay and discard: what an operator does about an event that was refused.
import { readStandardInput, readTextFile } from '../shell/read-text.js';
import { print, type JsonOption } from '../shell/output.js';
import { callScheduler, schedulerApi } from '../shell/scheduler-api.js';
import { UsageError } from '../shell/usage-error.js';
import { Rejection, rejectionLines } from './list-rejections.js';

export interface ReplayOptions extends JsonOption {
  /** The file of an edited event. */
  readonly event?: string;
}
export interface DiscardOptions extends JsonOption {
  readonly reason?: string;
}

export async function replayRejection(id: string, options: ReplayOptions): Promise<void> {
  const { event: file } = options;
  await settle(id, 'replay', file === undefined ? {} : { event: await eventIn(file) }, options);
}

export async function discardRejection(id: string, options: DiscardOptions): Promise<void> {
  await settle(id, 'discard', { reason: options.reason }, options);
}

async function settle(id: string, act: string, body: object, options: JsonOption): Promise<void> {
  const api = schedulerApi({ role: 'operator' });
  const path = `/v1/rejections/${encodeURIComponent(id)}/${act}`;
  const settled = await callScheduler(api, path, Rejection, JSON.stringify(body));
  print(options, settled, rejectionLines(settled).join('\n'));
}

async function eventIn(file: string): Promise<unknown> {
  const text = file === '-' ? await readStandardInput() : await readTextFile(file);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new UsageError(`${file} is no JSON`);
  }
}
