// Unpacks the records of a batch in any of Kafka's four codecs, within a bound. Anybody who may write to a topic chooses the
// bytes: a few kilobytes could fill the memory, and a few bytes could keep an unpacker busy for hours.
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Decompress } from 'fzstd';
import { unpackLz4 } from './unpack-lz4.js';
import { tooLarge } from './unpack-output.js';
import { unpackSnappy } from './unpack-snappy.js';

/** The most bytes of one unpacked record batch. Packed, a broker passes at most a few megabytes. */
export const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;

/** By the codec's number in a batch's attributes. */
export const CODECS: Readonly<Record<number, (packed: Buffer) => Buffer | Promise<Buffer>>> = {
  1: (packed) => promisify(gunzip)(packed, { maxOutputLength: MAX_UNPACKED_BYTES }),
  2: (packed) => unpackSnappy(packed, MAX_UNPACKED_BYTES),
  3: (packed) => unpackLz4(packed, MAX_UNPACKED_BYTES),
  4: unpackZstd,
};

/**
 * fzstd moves its whole window for each block. A frame of 2 MB with a window of 128 MiB and half a million blocks of one byte
 * would take an hour. To move 4 GiB takes a second, and is enough for 64 MiB in blocks of 128 KiB at level 19.
 */
const MAX_MOVED_BYTES = 4 * 1024 ** 3;
/** ZSTD's own default bound. Level 22 needs all of it. */
const MAX_WINDOW_BYTES = 128 * 1024 * 1024;
const ZSTD_MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a5;

function unpackZstd(packed: Buffer): Buffer {
  if (bytesMoved(packed) > MAX_MOVED_BYTES) throw new RangeError('has too many blocks for its window');
  const chunks: Uint8Array[] = [];
  let unpacked = 0;
  const stream = new Decompress((chunk) => {
    unpacked += chunk.length;
    if (unpacked > MAX_UNPACKED_BYTES) throw tooLarge(MAX_UNPACKED_BYTES);
    chunks.push(chunk);
  });
  stream.push(packed, true);
  return Buffer.concat(chunks);
}

/** Goes over frames and blocks without unpacking them (RFC 8878, 3.1.1), and adds the bytes of the window for each. */
function bytesMoved(packed: Buffer): number {
  let moved = 0;
  for (let at = 0; at < packed.length;) {
    const magic = packed.readUInt32LE(at);
    if (magic >>> 4 === SKIPPABLE_MAGIC) {
      at += 8 + packed.readUInt32LE(at + 4);
      continue;
    }
    if (magic !== ZSTD_MAGIC) throw new Error('is no frame of ZSTD');
    const { window, blocksAt, checksumBytes } = frameOf(packed, at + 4);
    if (window > MAX_WINDOW_BYTES) throw tooLarge(MAX_WINDOW_BYTES);
    moved += window;
    at = blocksAt;
    for (let last = false; !last;) {
      const head = packed.readUIntLE(at, 3);
      last = (head & 1) === 1;
      // For a block that repeats one byte, the head has the unpacked size.
      at += 3 + ((head & 6) === 2 ? 1 : head >> 3);
      moved += window;
    }
    at += checksumBytes;
  }
  return moved;
}

function frameOf(packed: Buffer, at: number): { window: number; blocksAt: number; checksumBytes: 0 | 4 } {
  const flags = packed.readUInt8(at);
  const single = (flags & 0x20) !== 0;
  const sizeBytes = [single ? 1 : 0, 2, 4, 8][flags >> 6] ?? 0;
  const dictionaryBytes = [0, 1, 2, 4][flags & 3] ?? 0;
  const sizeAt = at + (single ? 1 : 2) + dictionaryBytes;
  const checksumBytes = (flags & 4) === 0 ? 0 : 4;
  const blocksAt = sizeAt + sizeBytes;
  if (single) {
    const size =
      sizeBytes === 8 ? Number(packed.readBigUInt64LE(sizeAt)) : packed.readUIntLE(sizeAt, sizeBytes);
    return { window: sizeBytes === 2 ? size + 256 : size, blocksAt, checksumBytes };
  }
  const window = packed.readUInt8(at + 1);
  return { window: 2 ** (10 + (window >> 3)) * (1 + (window & 7) / 8), blocksAt, checksumBytes };
}
