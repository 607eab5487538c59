// Uploaded lists as campaigns go to them: which version counts for an event, that a campaign has it, and how many of its ids are in
// each zone. The ids themselves stay in the database: planning counts them, and one statement writes them to the sends.
import { columnsOf } from '../../platform/database/row-arrays.js';
import type { Sql } from '../../platform/database/database.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';

export interface ListName {
  readonly serviceId: string;
  readonly name: string;
}

/** A list as acceptance finds it. `expiresAt`: until then events may name it; 0 where its ids are gone. */
export interface FoundList extends ListName {
  readonly version: string;
  readonly expiresAt: EpochMs;
}

const NAMES = columnsOf<ListName>('service_id text, name text');

/**
 * The lists that are there, with the version that counts. By primary keys. Locks the versions against being removed, to the end of
 * the caller's transaction: useLists() then keeps them.
 */
export async function findLists(sql: Sql, names: readonly ListName[]): Promise<FoundList[]> {
  if (names.length === 0) return [];
  return sql.query<FoundList>(
    `select l.service_id as "serviceId", l.name, l.version,
            case v.state when 'ready' then extract(epoch from v.expires_at)::float8 * 1000 else 0 end as "expiresAt"
       from audience_list l join audience_version v using (version)
      where (l.service_id, l.name) in (select * from ${NAMES.from} as n)
      order by l.service_id, l.name for share of v`,
    NAMES.parametersOf(names),
  );
}

const USES = columnsOf<{ campaign: string; version: string }>('campaign uuid, version uuid');

/** The campaigns go to these versions, which stay until they have ended. */
export async function useLists(
  sql: Sql,
  uses: readonly { readonly campaign: string; readonly version: string }[],
): Promise<void> {
  if (uses.length === 0) return;
  await sql.query(
    `insert into audience_use (campaign, version) select campaign, version from ${USES.from} as u on conflict do nothing`,
    USES.parametersOf(uses),
  );
}

/** Ids of a list of which the same is known. `source` and `zone` say in which rows they lie (LISTED_IDS). */
export interface ListedGroup {
  /** `given`: in audience_part, the empty zone for those of none. Others: in audience_known. */
  readonly source: ListedSource;
  readonly zone: string;
  readonly recipients: number;
  /** Over the ids, in any order. */
  readonly digest?: string;
}

/** The push service knows `no-offset` of them, or `no-user` of that id. `unasked`: nobody has asked for it. */
export type ListedSource = 'given' | 'directory' | 'registered-offset' | 'no-offset' | 'no-user' | 'unasked';

/** How many ids are in each zone that was given, the empty one for none. By the primary key, some thousand rows at most. */
export async function givenZones(sql: Sql, version: string): Promise<ListedGroup[]> {
  return sql.query<ListedGroup>(
    `select 'given' as source, zone, sum(size)::float8 as recipients from audience_part where version = $1
      group by zone order by zone`,
    [version],
  );
}

/** How many ids of a list no zone was given for. */
export async function idsOfNoZone(sql: Sql, version: string): Promise<number> {
  const groups = await givenZones(sql, version);
  return groups.find(({ zone }) => zone === '')?.recipients ?? 0;
}

/** Where ids of no zone are looked for. */
export interface KnownAsk {
  readonly version: string;
  readonly serviceId: string;
  /** Registered offsets that were looked up since then count. */
  readonly since: EpochMs;
}

/** Ids that one statement judges: half a second of work. */
const AT_ONCE = 200_000;
const BUCKETS = 64;

/** Ranges of buckets that hold so many ids each. */
function* bucketRanges(ids: number): Generator<readonly [from: number, to: number]> {
  const ranges = Math.min(BUCKETS, Math.max(1, Math.ceil(ids / AT_ONCE)));
  for (let range = 0; range < ranges; range += 1)
    yield [Math.floor((range * BUCKETS) / ranges), Math.floor(((range + 1) * BUCKETS) / ranges) - 1];
}

/** The ids of no zone in buckets $3 to $4, with what is known of each: by joins, so that one statement does for any number. */
const JUDGED = `
  select p.bucket, i.id,
         case when d.zone is not null then 'directory' when o.offset_seconds is not null then 'registered-offset'
              when not o.is_user then 'no-user' when o.is_user then 'no-offset' else 'unasked' end as source,
         coalesce(d.zone, o.offset_seconds::text, '') as zone
    from audience_part p cross join lateral unnest(p.ids) as i(id)
    left join recipient_zone d on d.service_id = $2 and d.user_id = i.id and d.zone is not null
    left join registered_offset o
      on o.service_id = $2 and o.user_id = i.id and o.looked_up_at >= to_timestamp($5::float8 / 1000)
   where p.version = $1 and p.zone = '' and p.bucket between $3 and $4`;

const DIGEST = `bit_xor(hashtextextended(id, 0))::text`;

/** What is known of the ids that no zone was given for. Counts them only. `ids`: how many there are. */
export async function countKnown(sql: Sql, ask: KnownAsk, ids: number): Promise<ListedGroup[]> {
  const found: ListedGroup[] = [];
  for (const range of bucketRanges(ids))
    found.push(
      ...(await sql.query<ListedGroup>(
        `select source, zone, count(*)::float8 as recipients, ${DIGEST} as digest from (${JUDGED}) j group by source, zone`,
        parametersOf(ask, range),
      )),
    );
  return summedUp(found);
}

/** The same, and lays the ids down for the campaign's planning, in the place of those of a planning before it. */
export async function layKnown(
  sql: Sql,
  ask: KnownAsk & { readonly campaign: string; readonly now: EpochMs },
  ids: number,
): Promise<ListedGroup[]> {
  await forgetKnown(sql, [ask.campaign]);
  const found: ListedGroup[] = [];
  for (const range of bucketRanges(ids))
    found.push(
      ...(await sql.query<ListedGroup>(
        `with placed as (
           select *, (row_number() over (partition by source, zone, bucket) - 1) / 2000 as part from (${JUDGED}) j
         ), made as (
           select source, zone, bucket, part, array_agg(id) as ids, count(*)::int as size,
                  bit_xor(hashtextextended(id, 0)) as digest
             from placed group by source, zone, bucket, part
         ), laid as (
           insert into audience_known (campaign, source, zone, bucket, part, size, ids, at)
           select $6, source, zone, bucket, part, size, ids, to_timestamp($7::float8 / 1000) from made
         )
         select source, zone, sum(size)::float8 as recipients, bit_xor(digest)::text as digest from made group by source, zone`,
        [...parametersOf(ask, range), ask.campaign, ask.now],
      )),
    );
  return summedUp(found);
}

function parametersOf(
  { version, serviceId, since }: KnownAsk,
  [from, to]: readonly [number, number],
): unknown[] {
  return [version, serviceId, from, to, since];
}

function summedUp(found: readonly ListedGroup[]): ListedGroup[] {
  const sums = new Map<string, ListedGroup>();
  for (const group of found) {
    const key = `${group.source} ${group.zone}`;
    const sum = sums.get(key);
    sums.set(key, sum === undefined ? group : added(sum, group));
  }
  return [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}

function added(one: ListedGroup, other: ListedGroup): ListedGroup {
  const digest = BigInt(one.digest ?? 0) ^ BigInt(other.digest ?? 0);
  return { ...one, recipients: one.recipients + other.recipients, digest: digest.toString() };
}

/** Planning is over, or begins anew. */
export async function forgetKnown(sql: Sql, campaigns: readonly string[]): Promise<void> {
  if (campaigns.length === 0) return;
  await sql.query('delete from audience_known where campaign = any($1::uuid[])', [campaigns]);
}

/** The first ids of no zone that neither the directory nor a look-up since then tells anything of. */
export async function unaskedIds(sql: Sql, ask: KnownAsk, most: number): Promise<string[]> {
  const ids: string[] = [];
  for (let bucket = 0; bucket < BUCKETS && ids.length < most; bucket += 1) {
    const rows = await sql.query<{ id: string }>(
      `select id from (${JUDGED}) j where source = 'unasked' limit $6`,
      [...parametersOf(ask, [bucket, bucket]), most - ids.length],
    );
    ids.push(...rows.map(({ id }) => id));
  }
  return ids;
}
