// Unpacks Snappy as Kafka's clients write it. The Java client writes blocks within a frame of its own; others write no frame.
import { tooLarge, UnpackOutput } from './unpack-output.js';

/** The Java client's frame: magic and two versions, then each block with its length. */
const XERIAL_MAGIC = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0]);
const XERIAL_HEADER_BYTES = 16;

/** Throws where the bytes are broken or unpack to more than `most`. */
export function unpackSnappy(packed: Buffer, most: number): Buffer {
  const out = new UnpackOutput(most);
  if (!packed.subarray(0, XERIAL_MAGIC.length).equals(XERIAL_MAGIC)) {
    unpackBlock(packed, out, most);
    return out.all();
  }
  for (let at = XERIAL_HEADER_BYTES; at < packed.length;) {
    const end = at + 4 + packed.readUInt32BE(at);
    if (end > packed.length) throw new RangeError('is cut off');
    unpackBlock(packed.subarray(at + 4, end), out, most);
    at = end;
  }
  return out.all();
}

function unpackBlock(block: Buffer, out: UnpackOutput, most: number): void {
  const { length, at: begin } = unpackedLength(block);
  const due = out.length + length;
  if (due > most) throw tooLarge(most);
  for (let at = begin; at < block.length;) {
    const tag = block.readUInt8(at);
    at += 1;
    const upper = tag >> 2;
    if ((tag & 3) === 0) {
      // A literal: up to 60 bytes, or a length given in the next one to four bytes.
      const lengthBytes = Math.max(0, upper - 59);
      const literal = 1 + (lengthBytes === 0 ? upper : block.readUIntLE(at, lengthBytes));
      at += lengthBytes;
      out.append(block, at, at + literal);
      at += literal;
    } else {
      const distanceBytes = [0, 1, 2, 4][tag & 3] ?? 0;
      const low = block.readUIntLE(at, distanceBytes);
      at += distanceBytes;
      if (distanceBytes === 1) out.repeat(low + ((tag >> 5) << 8), 4 + (upper & 7));
      else out.repeat(low, 1 + upper);
    }
  }
  if (out.length !== due) throw new Error('has not the length that it says');
}

/** A varint at the beginning. */
function unpackedLength(block: Buffer): { length: number; at: number } {
  let length = 0;
  for (let at = 0; at < 5; at += 1) {
    const byte = block.readUInt8(at);
    length += (byte & 0x7f) * 2 ** (7 * at);
    if (byte < 0x80) return { length, at: at + 1 };
  }
  throw new Error('has no length');
}
