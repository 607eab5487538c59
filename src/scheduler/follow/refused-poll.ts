// A poll that came to nothing by a fault of ours: it could not be made, or the database will not have what it found. The
// send stays as it is, says why, and is asked about again, ever more rarely, until somebody has mended it. Pure.
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import type { PollRow } from '../store/send/poll.store.js';
import { NOTHING_SEEN } from './judge-poll.js';

const FIRST_GAP_MS = 30_000;
const LONGEST_GAP_MS = 3_600_000;

/** Nothing of what was found is in it: any of that may be what was refused. */
export function askAgainRow(row: PollRow, why: string, now: EpochMs): PollRow {
  return {
    ...row,
    ...NOTHING_SEEN,
    to: null,
    code: null,
    detail: `${why}; it is asked again`,
    at: now,
    nextAt: now + Math.min(FIRST_GAP_MS * 2 ** row.pollsBefore, LONGEST_GAP_MS),
    polls: row.pollsBefore + 1,
  };
}
