// What an upload writes of a list: a version that nobody sees, its pages, from these the ids each once, and at last the pointer that
// makes it the one that counts. Every statement is short, and each is complete in itself: whatever ends the upload in between
// leaves a version that housekeeping sweeps.
import { firstRow, type Database, type Sql } from '../../../platform/database/database.js';
import { arrayText } from '../../../platform/database/row-arrays.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { ListPage } from './list-pages.js';

/** After so long without a beat an upload is dead. Its process waits no longer than half a minute for a sender. */
export const DEAD_AFTER = `interval '90 seconds'`;

export interface ListName {
  readonly serviceId: string;
  readonly name: string;
}

interface Begun extends ListName {
  readonly version: string;
  readonly by: string;
  readonly now: EpochMs;
}

/** False where another upload of the name is under way. A dead one is given up here. */
export async function beginUpload(sql: Sql, { version, serviceId, name, by, now }: Begun): Promise<boolean> {
  await sql.query(
    `update audience_version set state = 'going'
      where service_id = $1 and name = $2 and state = 'loading' and beat_at < clock_timestamp() - ${DEAD_AFTER}`,
    [serviceId, name],
  );
  const rows = await sql.query(
    `insert into audience_version (version, service_id, name, uploaded_by, begun_at)
     values ($1, $2, $3, $4, to_timestamp($5::float8 / 1000))
     on conflict (service_id, name) where state = 'loading' do nothing returning 1`,
    [version, serviceId, name, by, now],
  );
  return rows.length > 0;
}

/** What is under way for the name: since when, and how far. */
export function uploadUnderWay(
  sql: Sql,
  { serviceId, name }: ListName,
): Promise<{ begunAt: Date; rows: number } | undefined> {
  return firstRow(
    sql,
    `select begun_at as "begunAt", rows::float8 as rows from audience_version
      where service_id = $1 and name = $2 and state = 'loading'`,
    [serviceId, name],
  );
}

/** False where the upload was called off. */
export async function writePage(sql: Sql, version: string, page: ListPage): Promise<boolean> {
  const { bucket, part, size, ids, zones } = page;
  const written = await sql.query(
    `insert into audience_page (version, bucket, part, size, ids, zones)
     select $1, $2::smallint, $3::int, $4::int, $5::text[], $6::smallint[]
      where exists (select from audience_version where version = $1 and state = 'loading') returning 1`,
    [version, bucket, part, size, ids, zones],
  );
  return written.length > 0;
}

/** Tells how far the upload is, and that it lives. False where it was called off, or taken for dead. */
export async function beat(
  sql: Sql,
  version: string,
  { rows, bytes }: { readonly rows: number; readonly bytes: number },
): Promise<boolean> {
  const told = await sql.query(
    `update audience_version set rows = $2, bytes = $3, beat_at = clock_timestamp()
      where version = $1 and state = 'loading' returning 1`,
    [version, rows, bytes],
  );
  return told.length > 0;
}

export interface BucketSize {
  readonly zone: string;
  readonly size: number;
}

/** Ids in a row of audience_part. */
const PART = 2_000;
/** A hash over the ids of a bucket stays in memory: 160 000 of them are some 30 MB. */
const IN_MEMORY = `begin; set local work_mem = '64MB'`;

/**
 * Makes the parts of a bucket from its pages, which it deletes: each id once, in the zone of its first row. Returns the ids by zone,
 * and how many rows the pages had; undefined where the upload was called off. A group's least (part, place, zone) is that of its
 * first row. The version is locked, so that nothing is written for one that is being removed.
 */
export async function makeParts(
  database: Database,
  version: string,
  bucket: number,
  zones: readonly string[],
): Promise<{ readonly rows: number; readonly sizes: readonly BucketSize[] } | undefined> {
  return database.transaction(async (sql) => {
    const mine = await sql.query(
      `select from audience_version where version = $1 and state = 'loading' for share`,
      [version],
    );
    if (mine.length === 0) return undefined;
    const [pages] = await sql.query<{ rows: number }>(
      'select coalesce(sum(size), 0)::float8 as rows from audience_page where version = $1 and bucket = $2',
      [version, bucket],
    );
    const sizes = await sql.query<BucketSize>(MAKE_PARTS, [version, bucket, arrayText(zones)]);
    await sql.query('delete from audience_page where version = $1 and bucket = $2', [version, bucket]);
    return { rows: pages?.rows ?? 0, sizes };
  }, IN_MEMORY);
}

// Sets in the select list, read in step: unnest() of both in FROM first writes them to a store of its own.
const MAKE_PARTS = `
  with row as (
    select unnest(p.ids) collate "C" as id,
           (p.part::bigint << 32) | (generate_series(1, p.size)::bigint << 12) | unnest(p.zones) as first
      from audience_page p where p.version = $1 and p.bucket = $2
  ), kept as (
    select id, (min(first) & 4095)::int as zone from row group by id
  ), placed as (
    select id, zone, (row_number() over (partition by zone) - 1) / ${PART} as part from kept
  ), made as (
    select ($3::text[])[zone + 1] as zone, part, array_agg(id) as ids, count(*)::int as size
      from placed group by placed.zone, part
  ), written as (
    insert into audience_part (version, zone, bucket, part, size, ids)
    select $1, zone, $2, part, size, ids from made returning zone, size
  )
  select zone, sum(size)::float8 as size from written group by zone`;

export interface WholeList extends ListName {
  readonly version: string;
  readonly rows: number;
  readonly bytes: number;
  readonly duplicates: number;
  readonly byZone: readonly { readonly zone: string | null; readonly rows: number }[];
  readonly invalidZones: readonly { readonly value: string; readonly rows: number; readonly near?: string }[];
  readonly contentDigest: string;
  readonly now: EpochMs;
  readonly expiresAt: EpochMs;
}

/**
 * Makes the version the one that counts. Where the one that counts has the same content, that stays, with the new end, and the new
 * version goes. Returns the version that counts then; undefined where the upload was called off. Locks the list's row: two never
 * meet here, for one upload of a name is under way at a time, but a delete may come between.
 */
export async function publishVersion(sql: Sql, list: WholeList): Promise<string | undefined> {
  const { serviceId, name, version, contentDigest, now, expiresAt } = list;
  const mine = await sql.query(
    `select from audience_version where version = $1 and state = 'loading' for no key update`,
    [version],
  );
  if (mine.length === 0) return undefined;
  const same = await firstRow<{ version: string }>(
    sql,
    `update audience_version v set expires_at = to_timestamp($4::float8 / 1000) from audience_list l
      where l.service_id = $1 and l.name = $2 and v.version = l.version and v.state = 'ready' and v.content_digest = $3
     returning v.version`,
    [serviceId, name, contentDigest, expiresAt],
  );
  if (same !== undefined) {
    await sql.query(`update audience_version set state = 'going' where version = $1`, [version]);
    return same.version;
  }
  await sql.query(
    `update audience_version v set replaced_at = to_timestamp($3::float8 / 1000) from audience_list l
      where l.service_id = $1 and l.name = $2 and v.version = l.version`,
    [serviceId, name, now],
  );
  await sql.query(
    `update audience_version set state = 'ready', rows = $2, bytes = $3, duplicates = $4, by_zone = $5, invalid_zones = $6,
            content_digest = $7, ready_at = to_timestamp($8::float8 / 1000), expires_at = to_timestamp($9::float8 / 1000)
      where version = $1`,
    [
      version,
      list.rows,
      list.bytes,
      list.duplicates,
      JSON.stringify(list.byZone),
      JSON.stringify(list.invalidZones),
      contentDigest,
      now,
      expiresAt,
    ],
  );
  await sql.query(
    `insert into audience_list (service_id, name, version) values ($1, $2, $3)
     on conflict (service_id, name) do update set version = excluded.version`,
    [serviceId, name, version],
  );
  return version;
}

/** The upload is over: what it wrote goes with the next housekeeping. */
export async function giveUpUpload(sql: Sql, version: string): Promise<void> {
  await sql.query(`update audience_version set state = 'going' where version = $1 and state = 'loading'`, [
    version,
  ]);
}
