// Batches packed by Kafka's own Java client, which frames Snappy and LZ4 in ways of its own.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import kafkajs from 'kafkajs';
import lz4 from 'lz4js';
import snappy from 'snappyjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { MAX_UNPACKED_BYTES, registerCodecs, unpackLz4, unpackSnappy } from './kafka-codecs.js';

const Vectors = z.object({
  sha256: z.string(),
  gzip: z.base64(),
  snappy: z.base64(),
  lz4: z.base64(),
  zstd: z.base64(),
});
const vectors = Vectors.parse(
  JSON.parse(readFileSync(join(import.meta.dirname, 'kafka-codecs.vectors.json'), 'utf8')),
);
const { CompressionCodecs, CompressionTypes } = kafkajs;

type Packed = 'gzip' | 'snappy' | 'lz4' | 'zstd';
const TYPE_OF = {
  gzip: CompressionTypes.GZIP,
  snappy: CompressionTypes.Snappy,
  lz4: CompressionTypes.LZ4,
  zstd: CompressionTypes.ZSTD,
} as const;

async function unpack(codec: Packed, packed: Buffer): Promise<Buffer> {
  const made = CompressionCodecs[TYPE_OF[codec]]() as { decompress(packed: Buffer): Promise<Buffer> };
  return made.decompress(packed);
}

beforeAll(() => registerCodecs());

describe.each<Packed>(['gzip', 'snappy', 'lz4', 'zstd'])('%s', (codec) => {
  it('unpacks what the Java client has packed', async () => {
    const unpacked = await unpack(codec, Buffer.from(vectors[codec], 'base64'));
    expect(createHash('sha256').update(unpacked).digest('hex')).toBe(vectors.sha256);
  });

  it('refuses bytes that it never packed', async () => {
    await expect(unpack(codec, Buffer.from('carillon '.repeat(20)))).rejects.toThrow(/./);
  });
});

it('bare Snappy, as librdkafka and others send it, unpacks as well', () => {
  const text = Buffer.from('carillon '.repeat(5_000));
  expect(unpackSnappy(Buffer.from(snappy.compress(text))).equals(text)).toBe(true);
});

describe('a batch that would fill the memory', () => {
  const zeros = Buffer.alloc(MAX_UNPACKED_BYTES + 1);

  it('is refused in GZIP', async () => {
    await expect(unpack('gzip', gzipSync(zeros))).rejects.toThrow(/larger than/);
  });

  it('is refused in Snappy, before anything is unpacked', () => {
    // The length stands in front as a varint: 2^28 here, over nothing.
    expect(() => unpackSnappy(Buffer.from([0x80, 0x80, 0x80, 0x80, 0x01]))).toThrow(/too big/);
  });

  it('is refused in LZ4', () => {
    expect(() => unpackLz4(Buffer.from(lz4.compress(zeros)))).toThrow(RangeError);
  });
});
