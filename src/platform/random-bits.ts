// The random part of ids, drawn from the system many at a time: one draw costs as much for 16 bytes as for 4 096.
import { randomFillSync } from 'node:crypto';

const BYTES = 16;
const pool = Buffer.alloc(256 * BYTES);
let used = pool.length;

/** Sixteen bytes nobody else gets, for `v7({ msecs, random })`. Read them before the next call but 255. */
export function randomBits(): Buffer {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const bits = pool.subarray(used, used + BYTES);
  used += BYTES;
  return bits;
}
