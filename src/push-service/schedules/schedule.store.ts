// Named SQL of schedules and the messages registered under them (push-interface.md §2.8, push-decisions.md, "Schedule registration").
import { rowsOf, type Sql } from '../../platform/database/database.js';
import type { DayOfWeek } from '../../push-contract/statuses.js';
import type { MessageList, ScheduleList } from './schedule-bodies.js';
import type { Occurrence, ScheduleTimes } from './occurrences.js';

export interface ScheduleRow extends ScheduleTimes {
  readonly id: string;
  readonly serviceId: string;
  readonly scheduleCode: string;
  readonly scheduleDesc: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
  readonly firedUntil: Date;
  /** Null once it has ended. */
  readonly lookAt: Date | null;
}

const COLUMNS = `id, service_id AS "serviceId", schedule_code AS "scheduleCode", schedule_desc AS "scheduleDesc",
  time_zone AS "timeZone", minute::int AS minute, start_date::text AS "startDate", end_date::text AS "endDate",
  days_of_week AS "daysOfWeek", created_at AS "createdAt", updated_at AS "updatedAt", fired_until AS "firedUntil",
  look_at AS "lookAt"`;

export interface KeptSchedule {
  readonly id: string;
  readonly serviceId: string;
  readonly scheduleCode: string;
  readonly scheduleDesc: string | null;
  readonly timeZone: string;
  readonly minute: number;
  readonly startDate: string;
  readonly endDate: string | null;
  readonly daysOfWeek: readonly DayOfWeek[];
  readonly now: Date;
  readonly lookAt: Date | null;
}

/** Undefined when the code is taken. */
export async function insertSchedule(sql: Sql, kept: KeptSchedule): Promise<ScheduleRow | undefined> {
  const [row] = await rowsOf<ScheduleRow>(
    sql,
    `INSERT INTO schedule (id, service_id, schedule_code, schedule_desc, time_zone, minute, start_date, end_date,
                           days_of_week, created_at, fired_until, look_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7::date, $8::date, $9::text[], $10, $10, $11)
     ON CONFLICT (service_id, schedule_code) DO NOTHING RETURNING ${COLUMNS}`,
    [
      kept.id,
      kept.serviceId,
      kept.scheduleCode,
      kept.scheduleDesc,
      kept.timeZone,
      kept.minute,
      kept.startDate,
      kept.endDate,
      kept.daysOfWeek,
      kept.now,
      kept.lookAt,
    ],
  );
  return row;
}

/** The new times count from now; what was due by then must have been fired (change-schedule.ts). */
export async function updateSchedule(
  sql: Sql,
  kept: Omit<KeptSchedule, 'id'>,
): Promise<ScheduleRow | undefined> {
  const [row] = await rowsOf<ScheduleRow>(
    sql,
    `UPDATE schedule SET schedule_desc = $3, time_zone = $4, minute = $5, start_date = $6::date, end_date = $7::date,
            days_of_week = $8::text[], updated_at = $9, fired_until = $9, look_at = $10
     WHERE service_id = $1 AND schedule_code = $2 RETURNING ${COLUMNS}`,
    [
      kept.serviceId,
      kept.scheduleCode,
      kept.scheduleDesc,
      kept.timeZone,
      kept.minute,
      kept.startDate,
      kept.endDate,
      kept.daysOfWeek,
      kept.now,
      kept.lookAt,
    ],
  );
  return row;
}

export async function findSchedule(
  sql: Sql,
  serviceId: string,
  scheduleCode: string,
): Promise<ScheduleRow | undefined> {
  const [row] = await rowsOf<ScheduleRow>(
    sql,
    `SELECT ${COLUMNS} FROM schedule WHERE service_id = $1 AND schedule_code = $2`,
    [serviceId, scheduleCode],
  );
  return row;
}

/** As lockDueSchedule() locks one. Inside a transaction. */
export async function lockSchedule(
  sql: Sql,
  serviceId: string,
  scheduleCode: string,
): Promise<ScheduleRow | undefined> {
  const [row] = await rowsOf<ScheduleRow>(
    sql,
    `SELECT ${COLUMNS} FROM schedule WHERE service_id = $1 AND schedule_code = $2 FOR NO KEY UPDATE`,
    [serviceId, scheduleCode],
  );
  return row;
}

export async function findAttachable(
  sql: Sql,
  serviceId: string,
  scheduleCode: string,
): Promise<{ id: string; ended: boolean } | undefined> {
  const [row] = await rowsOf<{ id: string; ended: boolean }>(
    sql,
    'SELECT id, look_at IS NULL AS ended FROM schedule WHERE service_id = $1 AND schedule_code = $2',
    [serviceId, scheduleCode],
  );
  return row;
}

export interface Counted<Row> {
  readonly rows: Row[];
  readonly total: number;
}

const SORT_COLUMNS = { scheduleCode: 'schedule_code', createTime: 'created_at' } as const;

/** A substring of the code, literally; the order is total by the code. */
export async function listSchedules(
  sql: Sql,
  serviceId: string,
  query: ScheduleList,
): Promise<Counted<ScheduleRow>> {
  const direction = query.sort.descending ? 'DESC' : 'ASC';
  const parameters = [serviceId, query.scheduleCode ?? ''];
  const rows = await rowsOf<ScheduleRow>(
    sql,
    `SELECT ${COLUMNS} FROM schedule WHERE service_id = $1 AND strpos(schedule_code, $2) > 0
     ORDER BY ${SORT_COLUMNS[query.sort.by]} ${direction}, schedule_code LIMIT $3::bigint OFFSET $4::bigint`,
    [...parameters, query.size, query.page * query.size],
  );
  const [counted] = await rowsOf<{ total: number }>(
    sql,
    'SELECT count(*)::int AS total FROM schedule WHERE service_id = $1 AND strpos(schedule_code, $2) > 0',
    parameters,
  );
  return { rows, total: counted?.total ?? 0 };
}

export interface ScheduledMessageRow {
  readonly id: string;
  readonly scheduleId: string;
  readonly request: string;
}

/** Those that still go out, in the order they were sent, to the millisecond. */
export async function listAttached(
  sql: Sql,
  scheduleId: string,
  query: MessageList,
): Promise<Counted<ScheduledMessageRow>> {
  const where = `schedule_id = $1 AND kind = 'scheduled' AND state = 'ATTACHED'`;
  const rows = await rowsOf<ScheduledMessageRow>(
    sql,
    `SELECT id, schedule_id AS "scheduleId", request FROM message WHERE ${where}
     ORDER BY id LIMIT $2::bigint OFFSET $3::bigint`,
    [scheduleId, query.size, query.page * query.size],
  );
  const [counted] = await rowsOf<{ total: number }>(
    sql,
    `SELECT count(*)::int AS total FROM message WHERE ${where}`,
    [scheduleId],
  );
  return { rows, total: counted?.total ?? 0 };
}

export async function findScheduled(
  sql: Sql,
  serviceId: string,
  scheduleCode: string,
  messageId: string,
): Promise<(ScheduledMessageRow & { readonly state: string }) | undefined> {
  const [row] = await rowsOf<ScheduledMessageRow & { state: string }>(
    sql,
    `SELECT m.id, m.schedule_id AS "scheduleId", m.request, m.state
     FROM message m JOIN schedule s ON s.id = m.schedule_id
     WHERE m.id = $3 AND m.service_id = $1 AND m.kind = 'scheduled' AND s.schedule_code = $2`,
    [serviceId, scheduleCode, messageId],
  );
  return row;
}

/** ATTACHED → CANCELED; what already goes out ends on its own. */
export async function cancelAttached(sql: Sql, messageId: string, now: Date): Promise<void> {
  await sql.query(
    `UPDATE message SET state = 'CANCELED', complete_at = $2 WHERE id = $1 AND state = 'ATTACHED'`,
    [messageId, now],
  );
}

/**
 * The schedule longest due, locked; replicas pass over it, and messages are taken under it meanwhile. Inside a
 * transaction.
 */
export async function lockDueSchedule(sql: Sql, now: Date): Promise<ScheduleRow | undefined> {
  const [row] = await rowsOf<ScheduleRow>(
    sql,
    `SELECT ${COLUMNS} FROM schedule WHERE look_at <= $1 ORDER BY look_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`,
    [now],
  );
  return row;
}

/** The offsets users are registered with (index push_user_timezone). */
export async function registeredOffsets(sql: Sql, serviceId: string): Promise<number[]> {
  const rows = await rowsOf<{ timezone: number }>(
    sql,
    // A walk from one offset to the next: a DISTINCT would read an index entry for every user.
    `WITH RECURSIVE step AS (
       (SELECT timezone FROM push_user WHERE service_id = $1 ORDER BY timezone LIMIT 1)
       UNION ALL
       SELECT (SELECT u.timezone FROM push_user u WHERE u.service_id = $1 AND u.timezone > step.timezone
               ORDER BY u.timezone LIMIT 1)
       FROM step WHERE step.timezone IS NOT NULL
     ) SELECT timezone FROM step WHERE timezone IS NOT NULL`,
    [serviceId],
  );
  return rows.map((row) => row.timezone);
}

/**
 * One firing for each message attached by then and each occurrence; one that is too late is made STALE, so that it
 * shows. Making one again does nothing. Returns how many were made.
 */
export async function makeFirings(
  sql: Sql,
  scheduleId: string,
  occurrences: readonly Occurrence[],
  staleBefore: Date,
): Promise<number> {
  const rows = await rowsOf(
    sql,
    `INSERT INTO firing (message_id, service_id, occurrence, timezone, due_at, small, state, complete_at)
     SELECT m.id, m.service_id, o.name, o.timezone, o.at, m.small, CASE WHEN o.at <= $5 THEN 'STALE' ELSE 'READY' END,
            CASE WHEN o.at <= $5 THEN o.at END
     FROM unnest($2::text[], $3::int[], $4::timestamptz[]) AS o(name, timezone, at)
     JOIN message m ON m.schedule_id = $1 AND m.kind = 'scheduled' AND m.state = 'ATTACHED' AND m.requested_at <= o.at
     ORDER BY o.at, m.id
     ON CONFLICT (message_id, occurrence) DO NOTHING RETURNING 1`,
    [
      scheduleId,
      occurrences.map((one) => one.name),
      occurrences.map((one) => one.timezone),
      occurrences.map((one) => new Date(one.at).toISOString()),
      staleBefore,
    ],
  );
  return rows.length;
}

export async function moveOn(
  sql: Sql,
  scheduleId: string,
  firedUntil: Date,
  lookAt: Date | null,
): Promise<void> {
  await sql.query('UPDATE schedule SET fired_until = $2, look_at = $3 WHERE id = $1', [
    scheduleId,
    firedUntil,
    lookAt,
  ]);
}

/** Messages of schedules that have ended become final once nothing of them is on its way. Returns how many. */
export async function finishEnded(sql: Sql, now: Date): Promise<number> {
  const rows = await rowsOf(
    sql,
    `UPDATE message m SET state = 'FINISHED', complete_at = $1
     FROM schedule s WHERE s.id = m.schedule_id AND s.look_at IS NULL AND m.kind = 'scheduled' AND m.state = 'ATTACHED'
       AND NOT EXISTS (SELECT FROM firing f WHERE f.message_id = m.id AND f.state IN ('READY', 'SENDING'))
     RETURNING m.id`,
    [now],
  );
  return rows.length;
}
