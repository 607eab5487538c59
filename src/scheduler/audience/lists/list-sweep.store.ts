// What housekeeping removes of lists: uploads that died, versions that nobody needs any more, and what planning left behind. Every
// statement deletes a bounded number of rows; two processes may share the work.
import type { Database, Sql } from '../../../platform/database/database.js';
import { sqlList } from '../../../platform/database/sql-list.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { CLOSED_CAMPAIGN } from '../../decide/lifecycle/campaign-state.js';
import { DEAD_AFTER } from './list-upload.store.js';

const DAY_MS = 86_400_000;
/** A version that another one has replaced stays a day: somebody may be about to use it. */
const REPLACED_MS = DAY_MS;
/** A version outlives by so long the campaigns that go to it. */
const USED_MS = 7 * DAY_MS;
/** So long after its end it is known that there was a list. */
const EXPIRED_KNOWN_MS = 30 * DAY_MS;
/** Rows of ids deleted at once: two million ids. */
const BATCH = 1_000;

/** One round; returns how many rows it deleted. */
export async function sweepLists(database: Database, now: EpochMs): Promise<number> {
  await database.transaction((sql) => markGoing(sql, now));
  let deleted = 0;
  for (const table of ['audience_page', 'audience_part'])
    deleted += await deleteSome(
      database,
      `delete from ${table} where ctid = any (array(
         select p.ctid from audience_version v join ${table} p using (version) where v.state = 'going' limit $1))
       returning 1`,
      [BATCH],
    );
  if (deleted < BATCH) await forgetVersions(database, now);
  return deleted + (await sweepKnown(database, now));
}

/** In two steps: a version that acceptance is about to use is locked by it, and the second statement sees what it has committed. */
async function markGoing(sql: Sql, now: EpochMs): Promise<void> {
  const rows = await sql.query<{ version: string }>(
    `select version from audience_version v
      where state = 'loading' and beat_at < clock_timestamp() - ${DEAD_AFTER}
         or state = 'ready' and (replaced_at < to_timestamp($1::float8 / 1000) or expires_at <= to_timestamp($2::float8 / 1000))
            and ${unusedSince('$3')}
      limit 100 for update skip locked`,
    [now - REPLACED_MS, now, now - USED_MS],
  );
  if (rows.length === 0) return;
  await sql.query(
    `update audience_version v set state = 'going' where version = any($1::uuid[]) and ${unusedSince('$2')}`,
    [rows.map(({ version }) => version), now - USED_MS],
  );
}

/** No campaign goes to the version `v`, and none that did has ended since. */
function unusedSince(milliseconds: string): string {
  return `not exists (
    select from audience_use u join campaign c on c.id = u.campaign
     where u.version = v.version
       and (c.state not in ${sqlList(CLOSED_CAMPAIGN)} or c.state_at > to_timestamp(${milliseconds}::float8 / 1000)))`;
}

/** The row of a list that has expired stays a while without its ids, to say so; all others go. */
async function forgetVersions(database: Database, now: EpochMs): Promise<void> {
  await database.transaction(async (sql) => {
    await sql.query(
      `update audience_version v set state = 'gone'
        where state = 'going' and not exists (select from audience_part p where p.version = v.version)
          and not exists (select from audience_page p where p.version = v.version)`,
    );
    await sql.query(
      `with old as (
         delete from audience_version v where state = 'gone'
            and (expires_at is null or expires_at < to_timestamp($1::float8 / 1000)
                 or not exists (select from audience_list l where l.version = v.version))
         returning version
       ), unused as (
         delete from audience_use u using old where u.version = old.version
       )
       delete from audience_list l using old where l.version = old.version`,
      [now - EXPIRED_KNOWN_MS],
    );
  });
}

/** Of plannings that ended without an end, as where their process died. */
function sweepKnown(sql: Sql, now: EpochMs): Promise<number> {
  return deleteSome(
    sql,
    `delete from audience_known where ctid = any (array(
       select ctid from audience_known where at < to_timestamp($1::float8 / 1000) limit $2)) returning 1`,
    [now - DAY_MS, BATCH],
  );
}

async function deleteSome(sql: Sql, text: string, parameters: readonly unknown[]): Promise<number> {
  return (await sql.query(text, parameters)).length;
}
