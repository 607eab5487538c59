// Ids for many rows of one instant: UUIDv7 in ascending order, so that every index stores them next to each other.
import { v7 } from 'uuid';
import type { EpochMs } from './clock.js';
import { randomBits } from './random-bits.js';

/**
 * Returns a function that makes one id for each call. An id has 42 random bits, and a sequence number that begins at 31 random
 * bits.
 */
export function idsAt(msecs: EpochMs): () => string {
  let seq: number | undefined;
  return () => {
    const random = randomBits();
    // The highest bit is left free for counting up.
    seq = seq === undefined ? random.readUInt32BE() >>> 1 : seq + 1;
    return v7({ msecs, seq, random });
  };
}
