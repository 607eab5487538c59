// Ids for many rows of one instant: UUIDv7 in ascending order, so that they are written side by side into every index.
import { v7 } from 'uuid';
import type { EpochMs } from './clock.js';
import { randomBits } from './random-bits.js';

/** Makes one id a call. 42 bits of each are random beside its place, and where the places begin is: 31 bits more. */
export function idsAt(msecs: EpochMs): () => string {
  let seq: number | undefined;
  return () => {
    const random = randomBits();
    // The highest bit is left for counting up.
    seq = seq === undefined ? random.readUInt32BE() >>> 1 : seq + 1;
    return v7({ msecs, seq, random });
  };
}
