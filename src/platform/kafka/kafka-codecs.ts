// Teaches the Kafka client the codecs it lacks, so that a batch in any of Kafka's four can be read. Only reading:
// what we publish ourselves goes out in GZIP. Every codec stops at a bound, or a few kilobytes could fill the memory.
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Decompress } from 'fzstd';
import kafkajs from 'kafkajs';
import lz4 from 'lz4js';
import snappy from 'snappyjs';

/** The most a record batch may unpack to, bytes; a broker lets at most a few megabytes of packed ones through. */
export const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;

interface Encoder {
  readonly buffer: Buffer;
}
interface Codec {
  compress(encoder: Encoder): Promise<Buffer>;
  decompress(packed: Buffer): Promise<Buffer>;
}

function tooLarge(): RangeError {
  return new RangeError(`a record batch unpacks to more than ${MAX_UNPACKED_BYTES} bytes`);
}

const gzipCodec: Codec = {
  compress: async ({ buffer }) => promisify(gzip)(buffer),
  decompress: async (packed) => promisify(gunzip)(packed, { maxOutputLength: MAX_UNPACKED_BYTES }),
};

function readingOnly(name: string, decompress: (packed: Buffer) => Buffer): Codec {
  return {
    compress: async () => {
      throw new Error(`${name} is read here, never written`);
    },
    decompress: async (packed) => decompress(packed),
  };
}

/** The Java client frames Snappy in blocks of its own (magic, two versions, then length and block); others send it bare. */
const XERIAL_MAGIC = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0]);
const XERIAL_HEADER_BYTES = 16;

export function unpackSnappy(packed: Buffer): Buffer {
  if (!packed.subarray(0, XERIAL_MAGIC.length).equals(XERIAL_MAGIC)) {
    return snappy.uncompress(packed, MAX_UNPACKED_BYTES);
  }
  const blocks: Buffer[] = [];
  let unpacked = 0;
  for (let at = XERIAL_HEADER_BYTES; at < packed.length;) {
    const length = packed.readUInt32BE(at);
    const block = snappy.uncompress(packed.subarray(at + 4, at + 4 + length), MAX_UNPACKED_BYTES - unpacked);
    unpacked += block.length;
    blocks.push(block);
    at += 4 + length;
  }
  return Buffer.concat(blocks);
}

export function unpackLz4(packed: Buffer): Buffer {
  // A number, whatever its published type says.
  const bound: unknown = lz4.decompressBound(packed);
  if (typeof bound !== 'number' || !(bound <= MAX_UNPACKED_BYTES)) throw tooLarge();
  return Buffer.from(lz4.decompress(packed, bound));
}

export function unpackZstd(packed: Buffer): Buffer {
  const chunks: Uint8Array[] = [];
  let unpacked = 0;
  const stream = new Decompress((chunk) => {
    unpacked += chunk.length;
    if (unpacked > MAX_UNPACKED_BYTES) throw tooLarge();
    chunks.push(chunk);
  });
  stream.push(packed, true);
  return Buffer.concat(chunks);
}

/** Registers all four with the client, for the whole process. Repeating it changes nothing. */
export function registerCodecs(): void {
  const { CompressionCodecs, CompressionTypes } = kafkajs;
  CompressionCodecs[CompressionTypes.GZIP] = () => gzipCodec;
  CompressionCodecs[CompressionTypes.Snappy] = () => readingOnly('Snappy', unpackSnappy);
  CompressionCodecs[CompressionTypes.LZ4] = () => readingOnly('LZ4', unpackLz4);
  CompressionCodecs[CompressionTypes.ZSTD] = () => readingOnly('ZSTD', unpackZstd);
}
