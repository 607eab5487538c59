// For carillon retention --dry-run: what would be carried of a day that is of age, if it were begun now. Counted as a drop counts, in
// pages by primary key. Reads the whole day and writes nothing.
import type { Sql } from '../../../platform/database/database.js';
import { sendGoes } from './day-drop.store.js';
import { judgedEvents } from './retention.store.js';

/** Rows that outlive the day, by table. */
export interface CarriedRows {
  readonly send: number;
  readonly sendRecipients: number;
  readonly sendNote: number;
  readonly attempt: number;
  readonly event: number;
}

const PAGE = 50_000;
const FIRST = '00000000-0000-0000-0000-000000000000';

interface Page {
  readonly seen: number;
  readonly last: string | null;
}

const staying = (name: string): string =>
  `(select count(*)::int from ${name} t where t.send in (select id from stays))`;

const sendsOf = (day: string): string => `
with page as materialized (
  select s.id, ${sendGoes('s', '$1')} as goes from send_${day} s where s.id > $2 order by s.id limit $3),
stays as materialized (select id from page where not goes)
select (select count(*)::int from page) as seen, (select max(id::text) from page) as last, (select count(*)::int from stays) as send,
       ${staying(`send_recipients_${day}`)} as "sendRecipients", ${staying(`send_note_${day}`)} as "sendNote", ${staying(`attempt_${day}`)} as attempt`;

const eventsOf = (day: string): string => `
with page as materialized (
  select id, service_id, verdict, $1::timestamptz as cutoff from event_${day} where id > $2 order by id limit $3)
select (select count(*)::int from page) as seen, (select max(id::text) from page) as last,
       (select count(*)::int from (${judgedEvents('page')}) j where j.lives) as event`;

/** `day`: YYYY-MM-DD; some of its partitions may be gone already. */
export async function carriedAhead(sql: Sql, day: string, endedBy: Date): Promise<CarriedRows> {
  const rows = { send: 0, sendRecipients: 0, sendNote: 0, attempt: 0, event: 0 };
  const name = day.replaceAll('-', '_');
  for (const [table, text] of [
    [`send_${name}`, sendsOf(name)],
    [`event_${name}`, eventsOf(name)],
  ] as const) {
    const there = await sql.query('select from day_partition where name = $1 and not is_going', [table]);
    if (there.length > 0) await addPages(sql, text, endedBy, rows);
  }
  return rows;
}

async function addPages(
  sql: Sql,
  text: string,
  endedBy: Date,
  rows: Record<keyof CarriedRows, number>,
): Promise<void> {
  for (let after = FIRST; ;) {
    const [page] = await sql.query<Page & Partial<CarriedRows>>(text, [endedBy, after, PAGE]);
    const { seen = 0, last = null, ...found } = page ?? {};
    for (const [kind, count] of Object.entries(found)) rows[kind as keyof CarriedRows] += count;
    if (seen < PAGE || last === null) return;
    after = last;
  }
}
