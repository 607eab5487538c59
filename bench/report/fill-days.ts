// Days of campaigns that ended: sends over zones and minutes, most of them sent, made on the day of their due, without the
// triggers that would make an event of each.
import type { PooledDatabase } from '../../src/platform/database/pooled-database.js';
import { addPastDays } from '../../tools/past-days.js';

export interface Sizes {
  readonly sends: number;
  readonly campaigns: number;
  readonly days: number;
}

const ZONES = 20;

/** Returns the first instant of the first day. */
export async function fillDays(database: PooledDatabase, { sends, campaigns, days }: Sizes): Promise<Date> {
  await database.query(
    `insert into project (service_id, base_url, created_at, updated_at) values ('shop-app', 'http://127.0.0.1', now(), now())`,
  );
  const first = new Date(Math.floor(Date.now() / 86_400_000) * 86_400_000 - days * 86_400_000);
  await addPastDays(database, first.getTime(), days);
  for (let day = 0; day < days; day += 1) {
    const at = new Date(first.getTime() + day * 86_400_000);
    await database.transaction(async (sql) => {
      await sql.query("set local session_replication_role = 'replica'");
      await sql.query(CAMPAIGNS, [at, Math.ceil(campaigns / days), ZONES]);
      await sql.query(SENDS, [at, Math.ceil(sends / campaigns), ZONES]);
    });
  }
  await database.query('analyze send');
  return first;
}

/** A campaign of so many on the first day; returns its id. */
export async function fillLarge(database: PooledDatabase, first: Date, sends: number): Promise<string> {
  // By which its sends find it.
  const at = new Date(first.getTime() + 60_000);
  await database.transaction(async (sql) => {
    await sql.query("set local session_replication_role = 'replica'");
    await sql.query(CAMPAIGNS, [at, 1, ZONES]);
    await sql.query(SENDS, [at, sends, ZONES]);
  });
  const [row] = await database.query<{ campaign: string }>(
    'select campaign from occurrence where first_due = $1',
    [at],
  );
  if (row === undefined) throw new Error('the large campaign is not there');
  return row.campaign;
}

/** An id of the day: nothing else is asked of it. */
const ID = `(left(uuid_floor($1)::text, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid`;

const CAMPAIGNS = `
with made as materialized (select ${ID} as id, n from generate_series(1, $2::int) n),
campaigns as (
  insert into campaign (id, service_id, campaign_id, event, state, newest_time, state_at, state_by, created_at)
  select id, 'shop-app', id::text, id, 'completed', $1, $1, 'bench', $1 from made),
occurrences as (
  insert into occurrence (campaign, occurrence, revision, state, first_due, last_due, state_at)
  select id, 'once', 1, 'completed', $1, $1::timestamptz + interval '23 hours', $1 from made)
insert into cell (campaign, occurrence, cell, revision, zone, zone_source, target, chunks)
select id, 'once', 'cell-' || z, 1, 'Zone/' || z, 'delivery', '{}', 0 from made, generate_series(1, $3::int) z`;

const SENDS = `
insert into send (id, ended_at, service_id, campaign, revision, occurrence, cell, chunk, state, code, changes, state_at, state_by, mode, mode_rule,
                  intended_at, due_at, created_at, handed_off_at, answered_at, request_id, target_count, sent_count)
select ${ID}, d.due, 'shop-app', o.campaign, 1, 'once', 'cell-' || 1 + n % $3::int, n, case when n % 50 = 0 then 'failed' else 'sent' end,
       case when n % 50 = 0 then 'FAIL' end, 4, d.due, 'bench', 'immediate', 'DUE_NOW', d.due, d.due, $1, d.due,
       d.due + (5 + 50 * random() ^ 4) * interval '1 millisecond', 'r', 100, 100 - n % 7
  from occurrence o cross join generate_series(1, $2::int) n
 cross join lateral (select $1::timestamptz + (9 + n % $3::int / 2) * interval '1 hour' as due) d
 where o.first_due = $1`;
