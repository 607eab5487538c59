// Streams a file of rows to the scheduler, as lists of users and the directory of zones take them, and tells on standard error how far
// it is.
import { createReadStream, statSync } from 'node:fs';
import { callApi, refusalOf, type Api } from '../shell/call-api.js';
import { megabytes } from '../shell/text-layout.js';
import { UsageError } from '../shell/usage-error.js';

export interface UploadOptions {
  readonly service: string;
  readonly format?: 'csv' | 'ndjson';
}

const PROGRESS_MS = 1_000;
const PACKINGS: Readonly<Record<string, string>> = { gz: 'gzip', zst: 'zstd' };

/** The JSON of the answer. Throws the answer where it is a refusal. */
export async function uploadFile(
  api: Api,
  path: string,
  file: string,
  options: UploadOptions,
): Promise<unknown> {
  const [, format = '', packing = ''] = /(?:\.(csv|ndjson|jsonl))?(?:\.(gz|zst))?$/i.exec(file) ?? [];
  const isNdjson = (options.format ?? format.toLowerCase()) !== 'csv' && (options.format ?? format) !== '';
  const size = file === '-' ? undefined : sizeOf(file);
  const answer = await callApi(api, 'PUT', path, {
    type: isNdjson ? 'application/x-ndjson' : 'text/csv',
    encoding: PACKINGS[packing.toLowerCase()],
    body: withProgress(file, size),
  });
  if (!answer.ok) throw refusalOf(api, answer);
  return answer.json;
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
    if (told) process.stderr.write(`${megabytes(bytes)} sent; the scheduler works on it\n`);
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
