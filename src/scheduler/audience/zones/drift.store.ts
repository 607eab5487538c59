// Where the directory and the push service disagree about a user's clock now. Reads a bounded number of users for a page; by the primary
// keys of both tables.
import type { Sql } from '../../../platform/database/database.js';

export interface DriftRow {
  readonly userId: string;
  readonly zone: string;
  readonly registeredOffsetSeconds: number;
  readonly lookedUpAt: Date;
}

interface DriftAsk {
  readonly serviceId: string;
  /** The offset of each zone now. */
  readonly zones: readonly { readonly zone: string; readonly offsetSeconds: number }[];
  readonly after: string;
  readonly limit: number;
}

/** Users of the directory that one page looks at. */
export const DRIFT_LOOKED = 10_000;

/** The zones that the directory names. */
export async function directoryZones(sql: Sql, serviceId: string, after: string): Promise<string[]> {
  const rows = await sql.query<{ zone: string }>(
    `select distinct zone from (select zone from recipient_zone where service_id = $1 and user_id > $2 order by user_id limit $3) d
      where zone is not null`,
    [serviceId, after, DRIFT_LOOKED],
  );
  return rows.map(({ zone }) => zone);
}

/** `stoppedAt`: the last user that was looked at; undefined where there are no more. */
export async function driftPage(
  sql: Sql,
  { serviceId, zones, after, limit }: DriftAsk,
): Promise<{ readonly rows: DriftRow[]; readonly stoppedAt: string | undefined }> {
  const rows = await sql.query<DriftRow & { last: string; looked: number; drifts: boolean }>(
    `with looked as (
       select user_id, zone from recipient_zone where service_id = $1 and user_id > $2 order by user_id limit $3
     ), clock as (
       select * from unnest($4::text[], $5::int[]) as c(zone, offset_seconds)
     ), seen as (
       select max(user_id) as last, count(*)::int as looked from looked
     )
     select s.last, s.looked, d.user_id is not null as drifts, d.user_id as "userId", d.zone,
            d.offset_seconds as "registeredOffsetSeconds", d.looked_up_at as "lookedUpAt"
       from seen s left join (
         select l.user_id, l.zone, o.offset_seconds, o.looked_up_at from looked l join clock c using (zone)
           join registered_offset o on o.service_id = $1 and o.user_id = l.user_id
          where o.offset_seconds <> c.offset_seconds order by l.user_id limit $6) d on true
      order by d.user_id`,
    [
      serviceId,
      after,
      DRIFT_LOOKED,
      zones.map(({ zone }) => zone),
      zones.map((one) => one.offsetSeconds),
      limit,
    ],
  );
  const [first] = rows;
  const found = rows.filter(({ drifts }) => drifts);
  const isMore = first !== undefined && first.looked >= DRIFT_LOOKED;
  // A page that is full ends with its last user.
  const last = found.length >= limit ? found.at(-1)?.userId : isMore ? first.last : undefined;
  return { rows: found, stoppedAt: last };
}
