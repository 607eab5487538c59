// Random bytes for ids, drawn from the system for many ids at a time: a draw of 16 bytes costs as much as one of 4 096.
import { randomFillSync } from 'node:crypto';

const BYTES = 16;
const pool = Buffer.alloc(256 * BYTES);
let used = pool.length;

/** Sixteen bytes that nobody else gets, for `v7({ msecs, random })`. Read them at once: the next call may overwrite them. */
export function randomBits(): Buffer {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const bits = pool.subarray(used, used + BYTES);
  used += BYTES;
  return bits;
}
