// What a ledger is of: services of the caller, and a window of time by the instants that UUIDv7 ids carry. Conditions for the
// ledger's statements, whose first three parameters these are; statements over cells and sends: ledger-pages.ts.
import type { EpochMs } from '../../../zone-rules/zone-rules.js';

export interface LedgerFilter {
  /** null: every service, and events of which no service could be read. */
  readonly serviceIds: readonly string[] | null;
  /** Events received and campaigns made at or after it. */
  readonly from?: EpochMs | undefined;
  /** And before it. */
  readonly to?: EpochMs | undefined;
}

/** The last instant that the 48 bits of a UUIDv7 can carry: uuid_floor gives null beyond it. */
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

/** For sums of whole days: the day has an instant in the window. */
export function inDays(day: string): string {
  return `($2::float8 is null or ${day} + 1 > to_timestamp($2 / 1000) at time zone 'UTC')
    and ($3::float8 is null or ${day} < to_timestamp($3 / 1000) at time zone 'UTC')`;
}
