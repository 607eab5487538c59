// Reads the rows of a body as it streams in: unpacked, as UTF-8, CSV or NDJSON by its type. Holds a piece of it at a time, whatever
// its length. Stores nothing.
import { createHash } from 'node:crypto';
import type { Readable, Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { errorCode } from '../../../platform/logging/error-code.js';
import { CsvRows } from './csv-rows.js';
import { NdjsonRows } from './ndjson-rows.js';
import type { RowReader, TakeRow } from './user-row.js';

export const MAX_ROWS = 10_000_000;
/** A stretch without any row, such as of empty lines: a kilobyte of gzip may hold a gigabyte of them. */
const MOST_EMPTY_BYTES = 1_048_576;

const SILENT_MS = 30_000;
/** How long the rest of a refused body is read, real milliseconds. */
const THROW_AWAY_MS = 60_000;

export type RowFormat = 'csv' | 'ndjson';
export type Packing = 'gzip' | 'zstd';

export interface Upload {
  readonly body: Readable;
  readonly format: RowFormat;
  readonly packing: Packing | undefined;
  /** How long a sender may be silent, real milliseconds [30 s]. */
  readonly silentMs?: number;
}

export interface UploadSteps {
  readonly take: TakeRow;
  /** Called between two pieces, with the bytes that came so far, unpacked: the reading waits for it. */
  readonly between: (bytes: number) => Promise<void>;
}

/** The body ended before it was whole, or is not what its encoding says. */
export class BrokenBodyError extends Error {
  readonly code = 'BROKEN_BODY';
}

export class TooManyRowsError extends Error {
  readonly code = 'TOO_MANY_ROWS';
}

/**
 * SHA-256 of the unpacked bytes. Throws RowFault, BrokenBodyError, TooManyRowsError, and whatever `between` throws. The body is not
 * closed then, but read on and thrown away, so that its sender can hear the answer.
 */
export async function readUpload(upload: Upload, { take, between }: UploadSteps): Promise<string> {
  const { body, format } = upload;
  let rows = 0;
  const counted: TakeRow = (userId, zone) => {
    rows += 1;
    if (rows > MAX_ROWS) throw new TooManyRowsError(`there are at most ${MAX_ROWS} rows`);
    take(userId, zone);
  };
  const reader: RowReader = format === 'csv' ? new CsvRows(counted) : new NdjsonRows(counted);
  const digest = createHash('sha256');
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let [bytes, empty] = [0, 0];
  try {
    for await (const piece of piecesOf(upload)) {
      const before = rows;
      bytes += piece.length;
      digest.update(piece);
      reader.push(decoded(() => decoder.decode(piece, { stream: true })));
      empty = rows === before ? empty + piece.length : 0;
      if (empty > MOST_EMPTY_BYTES) throw new BrokenBodyError('the body holds a megabyte without any row');
      await between(bytes);
    }
    reader.push(decoded(() => decoder.decode()));
    reader.end();
  } finally {
    throwAway(body);
  }
  return digest.digest('hex');
}

/** The unpacked pieces, one at a time. Throws BrokenBodyError where they end early, or none comes for long. */
async function* piecesOf({
  body,
  packing,
  silentMs = SILENT_MS,
}: Upload): AsyncGenerator<Buffer, void, void> {
  const source = packing === undefined ? body : unpacked(body, packing);
  const pieces = source.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>;
  try {
    for (;;) {
      const piece = await within(silentMs, pieces.next());
      if (piece.done === true) return;
      yield piece.value;
    }
  } catch (error) {
    if (error instanceof BrokenBodyError) throw error;
    const what = /^(Z_|ZSTD_)/.test(errorCode(error))
      ? 'the body cannot be unpacked: it ends early, or is not what its content-encoding says'
      : 'the body was cut off';
    throw new BrokenBodyError(what, { cause: error });
  } finally {
    if (source !== body) source.destroy();
  }
}

async function within<Value>(ms: number, value: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new BrokenBodyError(`nothing came for ${ms / 1_000} seconds`)), ms);
  });
  try {
    return await Promise.race([value, silence]);
  } finally {
    clearTimeout(timer);
  }
}

function unpacked(body: Readable, packing: Packing): Transform {
  const unpacker = unpackerOf(packing);
  const cut = (cause?: Error): void => {
    if (!body.readableEnded) unpacker.destroy(new BrokenBodyError('the body was cut off', { cause }));
  };
  body.once('error', cut).once('close', () => cut());
  return body.pipe(unpacker);
}

/** The rest of a body that nobody reads any more. */
function throwAway(body: Readable): void {
  if (body.readableEnded || body.destroyed) return;
  body.unpipe();
  body.on('error', () => undefined);
  const timer = setTimeout(() => body.destroy(), THROW_AWAY_MS).unref();
  body.once('close', () => clearTimeout(timer));
  body.resume();
}

/** Whether this Node can: zstd comes with 22.15. */
export function canUnpack(packing: Packing): boolean {
  return packing === 'gzip' || 'createZstdDecompress' in zlib;
}

function unpackerOf(packing: Packing): Transform {
  if (packing === 'gzip') return zlib.createGunzip({ chunkSize: 65_536 });
  const { createZstdDecompress } = zlib as unknown as { createZstdDecompress: () => Transform };
  return createZstdDecompress();
}

function decoded(decode: () => string): string {
  try {
    return decode();
  } catch (error) {
    throw new BrokenBodyError('the body is no UTF-8', { cause: error });
  }
}
