// What makes an upload of rows impossible to take, whether it is a list or zones, and the HTTP status of each.
import { TooManyZonesError } from './lists/list-pages.js';
import { BrokenBodyError, TooManyRowsError } from './rows/read-upload.js';
import { RowFault } from './rows/user-row.js';

export class EmptyListError extends Error {
  readonly code = 'EMPTY_LIST';
}

const REFUSALS = [RowFault, BrokenBodyError, TooManyRowsError, TooManyZonesError, EmptyListError] as const;
export type UploadRefusal = InstanceType<(typeof REFUSALS)[number]>;

export function isRefusal(error: unknown): error is UploadRefusal {
  return REFUSALS.some((one) => error instanceof one);
}

const STATUS: Readonly<Partial<Record<UploadRefusal['code'], number>>> = {
  BROKEN_BODY: 400,
  TOO_MANY_ROWS: 413,
};

export function statusOf(code: UploadRefusal['code']): number {
  return STATUS[code] ?? 422;
}
