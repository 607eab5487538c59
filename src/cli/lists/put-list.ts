// `carillon list put`: streams a file to PUT /v1/audiences/{name}, and tells on standard error how far it is.
import { createReadStream, statSync } from 'node:fs';
import { z } from 'zod';
import { callApi, refusalOf } from '../shell/call-api.js';
import { print, type JsonOption } from '../shell/output.js';
import { counted, megabytes } from '../shell/text-layout.js';
import { UsageError } from '../shell/usage-error.js';
import { schedulerApi } from '../shell/scheduler-api.js';

export interface PutListOptions extends JsonOption {
  readonly service: string;
  readonly expires?: number;
  readonly format?: 'csv' | 'ndjson';
}

const PROGRESS_MS = 1_000;
const PACKINGS: Readonly<Record<string, string>> = { gz: 'gzip', zst: 'zstd' };

const Uploaded = z.object({
  version: z.string(),
  rows: z.number(),
  duplicates: z.number(),
  byZone: z.array(z.object({ zone: z.string().nullable(), rows: z.number() })),
  invalidZones: z.array(z.object({ value: z.string(), rows: z.number(), near: z.string().optional() })),
  unchanged: z.boolean(),
  expiresAt: z.string(),
});

export async function putList(name: string, file: string, options: PutListOptions): Promise<void> {
  const api = schedulerApi({ role: 'publisher', why: 'this command asks the scheduler: ' });
  const { service: serviceId, expires } = options;
  const query = new URLSearchParams({
    serviceId,
    ...(expires !== undefined && { expiresInDays: String(expires) }),
  });
  const [, format = '', packing = ''] = /(?:\.(csv|ndjson|jsonl))?(?:\.(gz|zst))?$/i.exec(file) ?? [];
  const isNdjson = (options.format ?? format.toLowerCase()) !== 'csv' && (options.format ?? format) !== '';
  const size = file === '-' ? undefined : sizeOf(file);
  const path = `/v1/audiences/${encodeURIComponent(name)}?${query.toString()}`;
  const answer = await callApi(api, 'PUT', path, {
    type: isNdjson ? 'application/x-ndjson' : 'text/csv',
    encoding: PACKINGS[packing.toLowerCase()],
    body: withProgress(file, size),
  });
  const list = Uploaded.safeParse(answer.json);
  if (!answer.ok || !list.success) throw refusalOf(api, answer);
  print(options, answer.json, textOf(name, list.data));
}

/** The bytes of the file as they are read; without a size, of standard input. */
async function* withProgress(file: string, size: number | undefined): AsyncGenerator<Uint8Array, void, void> {
  const source: AsyncIterable<Uint8Array> = size === undefined ? process.stdin : createReadStream(file);
  let bytes = 0;
  let told = false;
  const tell = (): void => {
    const part =
      size === undefined || size === 0
        ? ''
        : ` of ${megabytes(size)} (${Math.floor((bytes * 100) / size)} %)`;
    process.stderr.write(`${megabytes(bytes)}${part} sent\n`);
    told = true;
  };
  const timer = setInterval(tell, PROGRESS_MS);
  try {
    for await (const piece of source) {
      bytes += piece.length;
      yield piece;
    }
    if (told) process.stderr.write(`${megabytes(bytes)} sent; the scheduler makes the list of it\n`);
  } finally {
    clearInterval(timer);
  }
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    throw new UsageError(`${file} cannot be read`);
  }
}

function textOf(
  name: string,
  { rows, duplicates, byZone, invalidZones, unchanged, expiresAt, version }: z.output<typeof Uploaded>,
): string {
  const ofNone = byZone.find(({ zone }) => zone === null)?.rows ?? 0;
  const zones = byZone.length - (ofNone > 0 ? 1 : 0);
  const lines = [
    `${name}: ${counted(rows, 'user')} in ${counted(zones, 'zone')}, until ${expiresAt}`,
    `version ${version}${unchanged ? ', as before: the content is the same' : ''}`,
  ];
  if (duplicates > 0) lines.push(`${counted(duplicates, 'row')} named a user again: the first counts`);
  if (ofNone > 0)
    lines.push(`${counted(ofNone, 'user')} without a zone: the directory, or the push service, may know it`);
  for (const { value, rows: wrong, near } of invalidZones.slice(0, 20))
    lines.push(
      `${value} is no zone (${counted(wrong, 'user')})${near === undefined ? '' : `; did you mean ${near}?`}`,
    );
  return lines.join('\n');
}
