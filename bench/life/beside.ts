// What lies beside the sends that are measured: partitions of past days, and sends that ended in them long ago.
import type { Sql } from '../../src/platform/database/database.js';
import { addPastDays } from '../../tools/past-days.js';
import { SERVICE } from '../dispatch/settings.js';

const DAY_MS = 86_400_000;
/** The sends of one statement. */
const PAGE = 100_000;

/** Days before yesterday, whose own partition is there: each is a partition of every table that has any. */
export async function addDaysBefore(sql: Sql, days: number): Promise<Date[]> {
  const yesterday = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS;
  if (days > 0) await addPastDays(sql, yesterday - days * DAY_MS, days);
  return Array.from({ length: days }, (_, index) => new Date(yesterday - (index + 1) * DAY_MS));
}

/** Sends that ended, spread over the days; their campaign is closed. Triggers would ask for their births. */
export async function addEnded(sql: Sql, days: readonly Date[], total: number): Promise<void> {
  const each = Math.ceil(total / Math.max(1, days.length));
  for (const day of days) {
    for (let from = 0; from < each; from += PAGE) {
      const count = Math.min(PAGE, each - from);
      await sql.query(
        `begin;
         set local session_replication_role = 'replica';
         set local statement_timeout = 0;
         with ended as (select uuidv7('${day.toISOString()}'::timestamptz - clock_timestamp()) as campaign)
           insert into send (id, ended_at, recipients, service_id, campaign, revision, occurrence, cell, chunk, state, state_at, state_by, mode,
                             mode_rule, intended_at, due_at, next_at, attempts, request_id, handed_off_at, answered_at,
                             target_count, sent_count, complete_time, changes, created_at)
           select uuidv7(at - clock_timestamp()), at, 1, '${SERVICE}', ended.campaign, 1, 'once', 'cell', n, 'sent', at, 'bench', 'immediate', 'DUE_NOW',
                  at, at, at, 1, 'r-' || n, at, at, 1, 1, at, 4, at
             from ended, (select n, '${day.toISOString()}'::timestamptz + n * interval '1 millisecond' as at
                         from generate_series(0, ${count - 1}) as n) rows;
         commit`,
      );
    }
  }
  await sql.query('vacuum (analyze)');
}
