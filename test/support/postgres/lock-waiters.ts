// Waiting until statements wait for a lock. What else goes on in the database may wait for the same one (a service's
// loops, a cleaning): a spec names its own statements, and waits for as many as it set off or more, never exactly.
import { eventually, type Patience } from '../eventually.js';

/** Reads rows from the database that is looked at. */
type Rows = (sql: string) => Promise<readonly unknown[]>;

/** SQL LIKE patterns; default any. */
interface Whose {
  /** What the statement is like. */
  readonly like?: string | undefined;
  /** What its connection's application_name is like. */
  readonly by?: string | undefined;
}

/** Returns once so many statements (default one) of `rows`' database wait for a lock. */
export async function untilLockAwaited(
  rows: Rows,
  { atLeast = 1, like, by, ...patience }: Whose & Patience & { readonly atLeast?: number } = {},
): Promise<void> {
  await eventually(async () => (await lockWaiters(rows, { like, by })) >= atLeast, patience);
}

/** How many statements wait for a lock now. */
export async function lockWaiters(rows: Rows, { like = '%', by = '%' }: Whose = {}): Promise<number> {
  const found = await rows(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        and query like '${like}' and application_name like '${by}' and pid <> pg_backend_pid()`,
  );
  return found.length;
}
