// Reads of lists for the API, and their deletion by hand. By the primary keys, and audience_version_list.
import { firstRow, type Sql } from '../../../platform/database/database.js';
import { sqlList } from '../../../platform/database/sql-list.js';
import { CLOSED_CAMPAIGN } from '../../decide/lifecycle/campaign-state.js';
import type { ListName } from './list-upload.store.js';

export interface VersionRow {
  readonly version: string;
  readonly state: 'loading' | 'ready';
  readonly counts: boolean;
  readonly rows: number;
  readonly bytes: number;
  readonly duplicates: number;
  readonly byZone: { zone: string | null; rows: number }[];
  readonly invalidZones: { value: string; rows: number; near?: string }[];
  readonly contentDigest: string | null;
  readonly begunAt: Date;
  readonly readyAt: Date | null;
  readonly expiresAt: Date | null;
  readonly campaigns: number;
}

/** Not of a list that was deleted, whose versions stay while campaigns go to them. */
const IS_THERE = `state in ('loading', 'ready') and coalesce(replaced_at, 'infinity') > '-infinity'`;
/** Open campaigns that go to a version. */
const USES = `(select count(*)::int from audience_use u join campaign c on c.id = u.campaign
                where u.version = v.version and c.state not in ${sqlList(CLOSED_CAMPAIGN)})`;

/** The versions of a list that are whole, and uploads under way; the newest first. */
export function readVersions(sql: Sql, { serviceId, name }: ListName): Promise<VersionRow[]> {
  return sql.query<VersionRow>(
    `select v.version, v.state, l.version is not null as counts, v.rows::float8 as rows, v.bytes::float8 as bytes,
            v.duplicates::float8 as duplicates, v.by_zone as "byZone", v.invalid_zones as "invalidZones",
            v.content_digest as "contentDigest", v.begun_at as "begunAt", v.ready_at as "readyAt",
            v.expires_at as "expiresAt", ${USES} as campaigns
       from audience_version v left join audience_list l on l.version = v.version
      where v.service_id = $1 and v.name = $2 and ${IS_THERE}
      order by coalesce(v.ready_at, v.begun_at) desc, counts desc, v.version desc limit 100`,
    [serviceId, name],
  );
}

export interface ListRow extends ListName {
  readonly version: string;
  readonly rows: number;
  readonly contentDigest: string;
  readonly readyAt: Date;
  readonly expiresAt: Date;
}

/** Lists that have a version that counts, in order of their names. `held`: null for all services. */
export function readLists(
  sql: Sql,
  { held, after, limit }: { held: readonly string[] | null; after: readonly string[]; limit: number },
): Promise<ListRow[]> {
  return sql.query<ListRow>(
    `select l.service_id as "serviceId", l.name, l.version, v.rows::float8 as rows, v.content_digest as "contentDigest",
            v.ready_at as "readyAt", v.expires_at as "expiresAt"
       from audience_list l join audience_version v using (version)
      where ($1::text[] is null or l.service_id = any($1)) and (l.service_id, l.name) > ($2, $3)
      order by l.service_id, l.name limit $4`,
    [held, after[0] ?? '', after[1] ?? '', limit],
  );
}

/**
 * Takes the list away, and calls off an upload of its name. Its versions go once no open campaign has them. Undefined where there is
 * neither. Returns how many open campaigns keep a version.
 */
export async function deleteList(
  sql: Sql,
  { serviceId, name }: ListName,
): Promise<{ versions: number; keptBy: number } | undefined> {
  const listed = await sql.query(
    'delete from audience_list where service_id = $1 and name = $2 returning 1',
    [serviceId, name],
  );
  const left = await firstRow<{ versions: number; keptBy: number }>(
    sql,
    `with v as (
       update audience_version set state = case state when 'loading' then 'going' else state end,
              replaced_at = '-infinity'
        where service_id = $1 and name = $2 and ${IS_THERE} returning version
     )
     select count(*)::int as versions, coalesce(sum(${USES}), 0)::int as "keptBy" from v`,
    [serviceId, name],
  );
  return listed.length === 0 && (left?.versions ?? 0) === 0 ? undefined : left;
}
