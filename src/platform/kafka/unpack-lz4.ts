// Unpacks LZ4 as Kafka's clients write it: one frame, without a dictionary. Does not trust the size that a frame states.
import { UnpackOutput } from './unpack-output.js';

const MAGIC = 0x184d2204;
const VERSION = 1;
const FLAG = { blockChecksum: 0x10, contentSize: 0x08, dictionary: 0x01 } as const;
/** Bytes, by the number in the frame's header. */
const LARGEST_BLOCK: Readonly<Record<number, number>> = { 4: 65_536, 5: 262_144, 6: 1_048_576, 7: 4_194_304 };
const RAW_BLOCK = 0x80000000;
const SHORTEST_MATCH = 4;

/** Throws where the frame is broken or unpacks to more than `most` bytes. Checksums are not verified: the broker does that. */
export function unpackLz4(packed: Buffer, most: number): Buffer {
  const flags = packed.readUInt8(4);
  const largest = LARGEST_BLOCK[packed.readUInt8(5) >> 4];
  const known = packed.readUInt32LE(0) === MAGIC && flags >> 6 === VERSION && (flags & FLAG.dictionary) === 0;
  if (!known || largest === undefined) throw new Error('is no frame of LZ4 that Kafka knows');
  const out = new UnpackOutput(most);
  const checksumBytes = (flags & FLAG.blockChecksum) === 0 ? 0 : 4;
  for (let at = (flags & FLAG.contentSize) === 0 ? 7 : 15; ;) {
    const head = packed.readUInt32LE(at);
    if (head === 0) return out.all();
    const length = head % RAW_BLOCK;
    if (length > largest) throw new Error('has a block larger than its largest');
    const end = at + 4 + length;
    if (head >= RAW_BLOCK) out.append(packed, at + 4, end);
    else unpackBlock(packed.subarray(at + 4, end), out);
    at = end + checksumBytes;
  }
}

/**
 * A block has sequences of literals and a repetition. A repetition may reach into earlier blocks. The last sequence has only
 * literals.
 */
function unpackBlock(block: Buffer, out: UnpackOutput): void {
  let at = 0;
  /** Four bits of the token. If all are set, bytes follow that are added, up to the first byte below 255. */
  const length = (bits: number): number => {
    let sum = bits;
    for (let byte = bits === 15 ? 255 : 0; byte === 255; sum += byte) {
      byte = block.readUInt8(at);
      at += 1;
    }
    return sum;
  };
  while (at < block.length) {
    const token = block.readUInt8(at);
    at += 1;
    const literals = length(token >> 4);
    out.append(block, at, at + literals);
    at += literals;
    if (at === block.length) return;
    const distance = block.readUInt16LE(at);
    at += 2;
    out.repeat(distance, length(token & 15) + SHORTEST_MATCH);
  }
}
