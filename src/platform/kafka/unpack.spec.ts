// Batches packed by Kafka's own Java client, which frames Snappy and LZ4 in ways of its own; and bytes that nobody packed.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CODECS, MAX_UNPACKED_BYTES } from './unpack.js';
import { unpackLz4 } from './unpack-lz4.js';
import { unpackSnappy } from './unpack-snappy.js';

const Vectors = z.object({
  sha256: z.string(),
  gzip: z.base64(),
  snappy: z.base64(),
  lz4: z.base64(),
  zstd: z.base64(),
});
const vectors = Vectors.parse(
  JSON.parse(readFileSync(join(import.meta.dirname, 'unpack.vectors.json'), 'utf8')),
);

type Packed = 'gzip' | 'snappy' | 'lz4' | 'zstd';
const NUMBER_OF: Readonly<Record<Packed, number>> = { gzip: 1, snappy: 2, lz4: 3, zstd: 4 };
const packedBy = (codec: Packed): Buffer => Buffer.from(vectors[codec], 'base64');

async function unpack(codec: Packed, packed: Buffer): Promise<Buffer> {
  return (await CODECS[NUMBER_OF[codec]]?.(packed)) ?? Buffer.alloc(0);
}

describe.each<Packed>(['gzip', 'snappy', 'lz4', 'zstd'])('%s', (codec) => {
  it('unpacks what the Java client has packed', async () => {
    const unpacked = await unpack(codec, packedBy(codec));
    expect(createHash('sha256').update(unpacked).digest('hex')).toBe(vectors.sha256);
  });

  it('refuses bytes that it never packed', async () => {
    await expect(unpack(codec, Buffer.from('carillon '.repeat(20)))).rejects.toThrow(/./);
  });

  it('ends on whatever is changed in what was packed', async () => {
    const packed = packedBy(codec);
    const changes = fc.array(fc.record({ at: fc.nat(packed.length - 1), byte: fc.nat(255) }), {
      minLength: 1,
    });
    await fc.assert(
      fc.asyncProperty(changes, fc.nat(packed.length), async (changed, end) => {
        const bytes = Buffer.from(packed.subarray(0, end));
        for (const { at, byte } of changed) if (at < end) bytes[at] = byte;
        const unpacked = await unpack(codec, bytes).catch(() => Buffer.alloc(0));
        expect(unpacked.length).toBeLessThanOrEqual(MAX_UNPACKED_BYTES);
      }),
      { numRuns: 200 },
    );
  });
});

describe('snappy', () => {
  const TEXT = 'carillon '.repeat(10);
  // Length 90; a literal of nine; 64, then 17 bytes again from nine ago, the latter with a distance of one byte and of two.
  const bare = Buffer.concat([
    Buffer.from([90, 8 << 2]),
    Buffer.from('carillon '),
    Buffer.from([(63 << 2) | 2, 9, 0]),
    Buffer.from([(7 << 2) | 1, 9]),
    Buffer.from([(5 << 2) | 3, 9, 0, 0, 0]),
  ]);

  it('unpacks it bare, as librdkafka and others send it', () => {
    expect(unpackSnappy(bare, 1_000).toString()).toBe(TEXT);
  });

  it('refuses a length above the bound before anything is unpacked', () => {
    expect(() => unpackSnappy(bare, 89)).toThrow(/unpacks to more than 89/);
    expect(() => unpackSnappy(Buffer.from([0x80, 0x80, 0x80, 0x80, 0x01]), MAX_UNPACKED_BYTES)).toThrow(
      /more/,
    );
  });

  it('refuses what is longer than it says, and a literal whose length a signed number would lead back', () => {
    expect(() => unpackSnappy(Buffer.concat([Buffer.from([80]), bare.subarray(1)]), 1_000)).toThrow(/length/);
    expect(() => unpackSnappy(Buffer.from([9, 63 << 2, 0xf0, 0xff, 0xff, 0xff]), 1_000)).toThrow(/cut off/);
  });
});

describe('lz4', () => {
  const frame = (...block: number[]): Buffer =>
    Buffer.from([4, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82, block.length, 0, 0, 0, ...block, 0, 0, 0, 0]);

  it('unpacks within a bound, whatever the frame says', () => {
    // One byte, repeated 4 + 15 + 255 + 5 times.
    const packed = frame(0x1f, 0x61, 1, 0, 255, 5);
    expect(unpackLz4(packed, 280).toString()).toBe('a'.repeat(280));
    expect(() => unpackLz4(packed, 279)).toThrow(/unpacks to more than 279/);
  });

  it('refuses what repeats bytes that are not there, and a block above the largest of its frame', () => {
    expect(() => unpackLz4(frame(0x10, 0x61, 2, 0), 1_000)).toThrow(/not there/);
    const large = Buffer.concat([Buffer.from([4, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82, 1, 0, 1, 0x80])]);
    expect(() => unpackLz4(large, 1_000_000)).toThrow(/larger than its largest/);
  });
});

describe('a batch that would fill the memory or take for ever', () => {
  it('is refused in GZIP', async () => {
    await expect(unpack('gzip', gzipSync(Buffer.alloc(MAX_UNPACKED_BYTES + 1)))).rejects.toThrow(
      /larger than/,
    );
  });

  it('is refused in ZSTD by its window and its blocks, before anything is unpacked', async () => {
    const head = (window: number): Buffer => Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, window << 3]);
    const blocks = (count: number): Buffer =>
      Buffer.concat([
        ...Array.from({ length: count - 1 }, () => Buffer.from([8, 0, 0, 0])),
        Buffer.from([9, 0, 0, 0]),
      ]);
    await expect(unpack('zstd', Buffer.concat([head(18), blocks(1)]))).rejects.toThrow(/unpacks to more/);
    await expect(unpack('zstd', Buffer.concat([head(17), blocks(40)]))).rejects.toThrow(/too many blocks/);
    await expect(unpack('zstd', Buffer.concat([head(10), blocks(40)]))).resolves.toHaveLength(40);
  });

  it('is refused in ZSTD by a size of eight bytes whose low ones are small', async () => {
    // A single segment of 7 × 2⁵⁶ bytes: fzstd makes a window of 7 × 2²⁴ of it.
    const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 0, 0, 0, 7]);
    const packed = Buffer.concat([head, Buffer.from([9, 0, 0, 0])]);
    await expect(unpack('zstd', packed)).rejects.toThrow(/unpacks to more/);
  });

  it('is refused in ZSTD where it repeats one byte too often', async () => {
    // Blocks of 2 MiB - 1 each, of four bytes.
    const repeating = Buffer.alloc(4 * 33);
    for (let at = 0; at < repeating.length; at += 4) repeating.writeUInt32LE((2 ** 21 - 1) * 8 + 2, at);
    const packed = Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 11 << 3]), repeating]);
    await expect(unpack('zstd', Buffer.concat([packed, Buffer.from([9, 0, 0, 0])]))).rejects.toThrow(
      /unpacks to more/,
    );
  });
});
