// The filter of a ledger: the caller's services, and a window of time by the instants in UUIDv7 ids. Makes conditions for the ledger's
// statements, whose first three parameters these are. ledger-pages.ts does so for statements over cells and sends.
import type { EpochMs } from '../../../zone-rules/zone-rules.js';

export interface LedgerFilter {
  /** null: every service, and events of which no service could be read. */
  readonly serviceIds: readonly string[] | null;
  /** Counts events received and campaigns made at or after this instant … */
  readonly from?: EpochMs | undefined;
  /** … and before this one. */
  readonly to?: EpochMs | undefined;
}

/** The last instant that the 48 bits of a UUIDv7 can hold: uuid_floor gives null beyond it. */
const LAST_MS = 2 ** 48 - 1;

/** $1, $2 and $3 of the ledger's statements. */
export function parametersOf(filter: LedgerFilter): unknown[] {
  return [filter.serviceIds, carried(filter.from), carried(filter.to)];
}

function carried(instant: EpochMs | undefined): EpochMs | null {
  return instant === undefined ? null : Math.min(Math.max(instant, 0), LAST_MS);
}

export function ofService(column: string): string {
  return `($1::text[] is null or ${column} = any($1))`;
}

export function inWindow(id: string): string {
  return `($2::float8 is null or ${id} >= uuid_floor(to_timestamp($2 / 1000)))
    and ($3::float8 is null or ${id} < uuid_floor(to_timestamp($3 / 1000)))`;
}

/** A condition for sums of whole days: the day has an instant in the window. */
export function inDays(day: string): string {
  return `($2::float8 is null or ${day} + 1 > to_timestamp($2 / 1000) at time zone 'UTC')
    and ($3::float8 is null or ${day} < to_timestamp($3 / 1000) at time zone 'UTC')`;
}
