// A look whose finding the database will not have: the send stays as it is, says why, and is asked about again, ever more
// rarely, until its window is over or somebody has mended it. Pure.
import { errorCode } from '../../platform/error-code.js';
import type { EpochMs } from '../decide/ports.js';
import type { LookRow } from '../store/look.store.js';
import { NOTHING_SEEN } from './judge-look.js';

const FIRST_GAP_MS = 30_000;
const LONGEST_GAP_MS = 3_600_000;

/** Nothing of what was found is in it: any of that may be what was refused. */
export function askAgainRow(row: LookRow, error: unknown, now: EpochMs): LookRow {
  return {
    ...row,
    ...NOTHING_SEEN,
    to: null,
    code: null,
    detail: `the database refused what the last look found (${errorCode(error) || 'no SQLSTATE'}); it is asked again`,
    at: now,
    nextAt: now + Math.min(FIRST_GAP_MS * 2 ** row.looksBefore, LONGEST_GAP_MS),
    looks: row.looksBefore + 1,
  };
}
