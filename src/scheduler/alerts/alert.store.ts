// Rows of alerts: written by the one process that judges, read and acknowledged over HTTP.
import { v7 } from 'uuid';
import { firstRow, type Sql } from '../../platform/database/database.js';
import { prepared } from '../../platform/database/pooled-database.js';
import { sqlList } from '../../platform/database/sql-list.js';
import { columnsOf } from '../../platform/database/row-arrays.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import { CAUSE_CODES, causeOf, type CauseCode } from './cause.js';
import type { Found } from './find-causes.js';

export interface AlertRow {
  readonly id: string;
  readonly cause: CauseCode;
  readonly serviceId: string | null;
  readonly since: Date;
  readonly lastSeenAt: Date;
  readonly endedAt: Date | null;
  readonly figure: number | null;
  readonly worst: number | null;
  readonly detail: string;
  readonly acknowledgedAt: Date | null;
  readonly acknowledgedBy: string | null;
}

const COLUMNS = `id, cause, service_id as "serviceId", since, last_seen_at as "lastSeenAt", ended_at as "endedAt", figure, worst,
  detail, acknowledged_at as "acknowledgedAt", acknowledged_by as "acknowledgedBy"`;

const FOUND = columnsOf<Found & { readonly id: string }>(
  'id uuid, cause text, service_id text, figure float8, detail text',
);
const OF_LEAST = sqlList(CAUSE_CODES.filter((code) => causeOf(code).worst === 'least'));

// Index alert_open. Rows are locked in its order.
const KEEP = prepared(`
insert into alert (id, cause, service_id, since, last_seen_at, figure, worst, detail)
select f.id, f.cause, f.service_id, $6, $6, f.figure, f.figure, f.detail from ${FOUND.from} f order by f.cause, f.service_id
on conflict (cause, service_id) where ended_at is null do update
   set last_seen_at = excluded.last_seen_at, figure = excluded.figure, detail = excluded.detail,
       worst = case when alert.cause in ${OF_LEAST} then least(alert.worst, excluded.worst)
                    else greatest(alert.worst, excluded.worst) end
returning ${COLUMNS}, id = any($1::uuid[]) as "isNew"`);

const END = prepared(`
update alert set ended_at = $1 where ended_at is null and last_seen_at < $2 returning ${COLUMNS}`);

export interface Judged {
  readonly begun: readonly AlertRow[];
  readonly ended: readonly AlertRow[];
}

/** Begins alerts for what is found and has none, keeps the others, and ends those whose cause was not found for `quietMs`. */
export async function keepAlerts(
  sql: Sql,
  found: readonly Found[],
  { now, quietMs }: { readonly now: EpochMs; readonly quietMs: number },
): Promise<Judged> {
  const rows = found.map((one) => ({ ...one, id: v7({ msecs: now }) }));
  const at = new Date(now);
  const kept =
    rows.length === 0
      ? []
      : await sql.query<AlertRow & { isNew: boolean }>(KEEP, [...FOUND.parametersOf(rows), at]);
  const ended = await sql.query<AlertRow>(END, [at, new Date(now - quietMs)]);
  return { begun: kept.filter(({ isNew }) => isNew), ended };
}

/** Open alerts, the oldest first. Index alert_open. */
export function openAlerts(sql: Sql): Promise<AlertRow[]> {
  return sql.query<AlertRow>(`select ${COLUMNS} from alert where ended_at is null order by since, id`);
}

export interface AlertFilter {
  readonly state: 'open' | 'ended' | undefined;
  readonly serviceId: string | undefined;
  /** The services of the caller; null: all. Alerts of the whole installation concern everybody. */
  readonly held: readonly string[] | null;
}

/** Newest first, after the last id seen. The primary key; there are as many rows as alerts of 90 days. */
export function alertPage(
  sql: Sql,
  { state, serviceId, held }: AlertFilter,
  page: { readonly before: string | undefined; readonly limit: number },
): Promise<AlertRow[]> {
  return sql.query<AlertRow>(
    `select ${COLUMNS} from alert
      where ($1::text is null or (ended_at is null) = ($1 = 'open')) and ($2::text is null or service_id = $2)
        and ($3::text[] is null or service_id is null or service_id = any($3)) and ($4::uuid is null or id < $4)
      order by id desc limit $5`,
    [state ?? null, serviceId ?? null, held, page.before ?? null, page.limit],
  );
}

export function alertById(sql: Sql, id: string): Promise<AlertRow | undefined> {
  return firstRow<AlertRow>(sql, `select ${COLUMNS} from alert where id = $1`, [id]);
}

/** The first acknowledgement stays. Returns the alert as it is then. */
export async function acknowledgeAlert(
  sql: Sql,
  id: string,
  by: { readonly who: string; readonly now: EpochMs },
): Promise<AlertRow | undefined> {
  await sql.query(
    'update alert set acknowledged_at = $2, acknowledged_by = $3 where id = $1 and acknowledged_at is null',
    [id, new Date(by.now), by.who],
  );
  return alertById(sql, id);
}
