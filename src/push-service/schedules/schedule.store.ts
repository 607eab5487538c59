// Named SQL of schedules and of the messages under them (push-interface.md §2.8, push-decisions.md, "Schedule registration").
import type { EpochMs } from '../../platform/clock.js';
import { firstRow, type Sql } from '../../platform/database/database.js';
import type { ScheduledMessageView, ScheduleView } from '../gateway/answers.js';
import { quarterOf, type Occurrence, type ScheduleTimes } from './occurrences.js';

export interface ScheduleRow extends ScheduleTimes {
  readonly id: string;
  readonly serviceId: string;
  readonly scheduleCode: string;
  readonly scheduleDesc: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
  readonly firedUntil: Date;
  /** Null once it has ended. */
  readonly nextFireAt: Date | null;
}

const COLUMNS = `id, service_id as "serviceId", schedule_code as "scheduleCode", schedule_desc as "scheduleDesc",
  time_zone as "timeZone", minute::int as minute, start_date::text as "startDate", end_date::text as "endDate",
  days_of_week as "daysOfWeek", created_at as "createdAt", updated_at as "updatedAt", fired_until as "firedUntil",
  next_fire_at as "nextFireAt"`;

export type KeptSchedule = Omit<ScheduleRow, 'createdAt' | 'updatedAt' | 'firedUntil'> & {
  readonly now: Date;
};

/** The parameters $1 to $10 of both statements below. */
function valuesOf(kept: KeptSchedule): unknown[] {
  const { serviceId, scheduleCode, scheduleDesc, timeZone, minute, startDate, endDate, daysOfWeek } = kept;
  const given = [serviceId, scheduleCode, scheduleDesc, timeZone, minute, startDate, endDate, daysOfWeek];
  return [...given, kept.now, kept.nextFireAt];
}

/** Undefined when the code is taken. */
export function insertSchedule(sql: Sql, kept: KeptSchedule): Promise<ScheduleRow | undefined> {
  return firstRow<ScheduleRow>(
    sql,
    `insert into schedule (service_id, schedule_code, schedule_desc, time_zone, minute, start_date, end_date,
                           days_of_week, created_at, fired_until, next_fire_at, id)
     values ($1, $2, $3, $4, $5, $6::date, $7::date, $8::text[], $9, $9, $10, $11)
     on conflict (service_id, schedule_code) do nothing returning ${COLUMNS}`,
    [...valuesOf(kept), kept.id],
  );
}

/** The new times count from now. What was due until then must have been fired (Schedules.change). */
export function updateSchedule(sql: Sql, kept: KeptSchedule): Promise<ScheduleRow | undefined> {
  return firstRow<ScheduleRow>(
    sql,
    `update schedule set schedule_desc = $3, time_zone = $4, minute = $5, start_date = $6::date, end_date = $7::date,
            days_of_week = $8::text[], updated_at = $9, fired_until = $9, next_fire_at = $10, finished_at = null
     where service_id = $1 and schedule_code = $2 returning ${COLUMNS}`,
    valuesOf(kept),
  );
}

/** With a `lock`, call it inside a transaction. */
export function findSchedule(
  sql: Sql,
  serviceId: string,
  scheduleCode: string,
  lock: '' | 'for no key update' | 'for update' = '',
): Promise<ScheduleRow | undefined> {
  return firstRow<ScheduleRow>(
    sql,
    `select ${COLUMNS} from schedule where service_id = $1 and schedule_code = $2 ${lock}`,
    [serviceId, scheduleCode],
  );
}

export interface Counted<Row> {
  readonly rows: Row[];
  readonly total: number;
}

/** Which page of a list, and its order. */
interface Listing {
  readonly page: number;
  readonly size: number;
  readonly sort: { readonly column: string; readonly descending: boolean };
}

/** A page of the rows of `from`, and how many rows there are in all. `thenBy` makes the order total. */
async function pageOf<Row>(
  sql: Sql,
  { select, from, thenBy }: { readonly select: string; readonly from: string; readonly thenBy: string },
  parameters: readonly unknown[],
  { page, size, sort }: Listing,
): Promise<Counted<Row>> {
  const direction = sort.descending ? 'desc' : 'asc';
  const [limit, offset] = [parameters.length + 1, parameters.length + 2];
  const rows = await sql.query<Row>(
    `select ${select} from ${from} order by ${sort.column} ${direction}, ${thenBy} ${direction}
     limit $${limit}::bigint offset $${offset}::bigint`,
    [...parameters, size, page * size],
  );
  const count = `select count(*)::int as total from ${from}`;
  const counted = await firstRow<{ total: number }>(sql, count, parameters);
  return { rows, total: counted?.total ?? 0 };
}

/** By which members a list of schedules may be sorted. */
export const SCHEDULE_COLUMNS: Readonly<Record<keyof ScheduleView, string>> = {
  scheduleId: 'id',
  scheduleCode: 'schedule_code',
  scheduleDesc: 'schedule_desc',
  scheduleTimeZone: 'time_zone',
  scheduleTime: 'minute',
  startDate: 'start_date',
  endDate: 'end_date',
  dayOfWeeks: 'days_of_week',
  scheduleStatus: '(next_fire_at is null)',
  createTime: 'created_at',
  updateTime: 'updated_at',
};

/** Finds schedules whose code contains the text, literally. The code makes the order total. */
export function listSchedules(
  sql: Sql,
  serviceId: string,
  query: Listing & { readonly scheduleCode?: string | undefined },
): Promise<Counted<ScheduleRow>> {
  const from = 'schedule where service_id = $1 and strpos(schedule_code, $2) > 0';
  const parameters = [serviceId, query.scheduleCode ?? ''];
  return pageOf(sql, { select: COLUMNS, from, thenBy: 'schedule_code' }, parameters, query);
}

/** By which members a list of messages may be sorted. */
export const MESSAGE_COLUMNS: Readonly<Record<keyof ScheduledMessageView, string>> = {
  messageId: 'id',
  scheduleId: 'schedule_id',
  serviceId: 'service_id',
  message: 'request',
};

const MESSAGE_VIEW = `m.id as "messageId", m.schedule_id as "scheduleId", m.service_id as "serviceId", m.request as message`;

/** The messages of schedule $1 that still go out (index message_attached). */
const ATTACHED = `schedule_id = $1 and kind = 'scheduled' and state = 'ATTACHED'`;

/** The messages that still go out. The order of their ids is the order of sending, to the millisecond. */
export function listAttached(
  sql: Sql,
  scheduleId: string,
  query: Listing,
): Promise<Counted<ScheduledMessageView>> {
  const from = `message m where ${ATTACHED}`;
  return pageOf(sql, { select: MESSAGE_VIEW, from, thenBy: 'id' }, [scheduleId], query);
}

export function findScheduled(
  sql: Sql,
  serviceId: string,
  scheduleCode: string,
  messageId: string,
): Promise<(ScheduledMessageView & { readonly state: string }) | undefined> {
  return firstRow(
    sql,
    `select ${MESSAGE_VIEW}, m.state
     from message m join schedule s on s.id = m.schedule_id
     where m.id = $3 and m.service_id = $1 and m.kind = 'scheduled' and s.schedule_code = $2`,
    [serviceId, scheduleCode, messageId],
  );
}

/**
 * Deletes the schedule, whose row is locked, and cancels its messages. It locks the messages first, in order of id. A statement
 * that waited for a lock does not see what was committed meanwhile, so each step is a statement of its own.
 */
export async function deleteLocked(sql: Sql, id: string, now: Date): Promise<void> {
  const locked = `select from message where ${ATTACHED} order by id for no key update`;
  await sql.query(`select count(*) from (${locked}) held`, [id]);
  await sql.query(`update message set state = 'CANCELED', complete_at = $2 where ${ATTACHED}`, [id, now]);
  await sql.query('delete from schedule where id = $1', [id]);
}

/** ATTACHED → CANCELED. Devices of its firings that still wait fail when their chunks are claimed. */
export async function cancelAttached(sql: Sql, messageId: string, now: Date): Promise<void> {
  await sql.query(
    `update message set state = 'CANCELED', complete_at = $2 where id = $1 and state = 'ATTACHED'`,
    [messageId, now],
  );
}

/** Locks the schedule that has been due for longest. Call it inside a transaction. */
export function lockDueSchedule(sql: Sql, now: Date): Promise<ScheduleRow | undefined> {
  return firstRow<ScheduleRow>(
    sql,
    // Other replicas pass over it. A message that is being taken for it waits for the firing, or this passes over it because of
    // the message.
    `select ${COLUMNS} from schedule where next_fire_at <= $1 order by next_fire_at limit 1 for no key update skip locked`,
    [now],
  );
}

/** The quarters of an hour in which users' offsets are, in seconds; at most 145. */
export async function registeredOffsets(sql: Sql, serviceId: string): Promise<number[]> {
  const rows = await sql.query<{ timezone: number }>(
    // Walks the index push_user_timezone from one quarter to the next. A DISTINCT would read an entry for every user.
    `with recursive step as (
       (select timezone from push_user where service_id = $1 order by timezone limit 1)
       union all
       select (select u.timezone from push_user u where u.service_id = $1
                 and u.timezone >= floor(step.timezone / 900.0 + 0.5)::int * 900 + 450 order by u.timezone limit 1)
       from step where step.timezone is not null
     ) select timezone from step where timezone is not null`,
    [serviceId],
  );
  return rows.map((row) => quarterOf(row.timezone));
}

/** How many messages of a schedule still go out, counted up to `most` (index message_attached). */
export async function countAttached(sql: Sql, scheduleId: string, most: number): Promise<number> {
  const row = await firstRow<{ count: number }>(
    sql,
    `select count(*)::int as count from (select from message where ${ATTACHED} limit $2) attached`,
    [scheduleId, most],
  );
  return row?.count ?? 0;
}

/**
 * Makes one firing for each occurrence and each message that was attached by then. A firing that is too late becomes STALE, so
 * that it shows. To make a firing again does nothing. Returns how many it made.
 */
export async function makeFirings(
  sql: Sql,
  scheduleId: string,
  occurrences: readonly Occurrence[],
  { now, staleBefore }: { readonly now: EpochMs; readonly staleBefore: Date },
): Promise<number> {
  const rows = await sql.query(
    `insert into firing (id, message_id, service_id, occurrence, timezone, due_at, small, state, complete_at)
     select next_firing($6), m.id, m.service_id, o.name, o.timezone, o.at, m.small, case when o.at <= $5 then 'STALE' else 'READY' end,
            case when o.at <= $5 then o.at end
     from unnest($2::text[], $3::int[], $4::timestamptz[]) as o(name, timezone, at)
     join message m on m.schedule_id = $1 and m.kind = 'scheduled' and m.state = 'ATTACHED' and m.requested_at <= o.at
     order by o.at, m.id
     on conflict (message_id, occurrence) do nothing returning 1`,
    [
      scheduleId,
      occurrences.map((one) => one.name),
      occurrences.map((one) => one.timezone),
      occurrences.map((one) => new Date(one.at).toISOString()),
      staleBefore,
      new Date(now),
    ],
  );
  return rows.length;
}

export async function moveOn(
  sql: Sql,
  scheduleId: string,
  firedUntil: Date,
  nextFireAt: Date | null,
): Promise<void> {
  await sql.query('update schedule set fired_until = $2, next_fire_at = $3 where id = $1', [
    scheduleId,
    firedUntil,
    nextFireAt,
  ]);
}

/** Puts off a schedule that is still due at `now`. A schedule that was changed meanwhile stays as it is. Uses the primary key. */
export async function putOff(sql: Sql, scheduleId: string, now: Date, until: Date): Promise<void> {
  await sql.query('update schedule set next_fire_at = $3 where id = $1 and next_fire_at <= $2', [
    scheduleId,
    now,
    until,
  ]);
}

/** If a message was being taken when its schedule ended, it is attached within this time, milliseconds. */
const ATTACHED_BY_MS = 600_000;

/** How many messages one statement ends, some 20 µs each. Reservations that are due wait for it. */
const ENDED = 5_000;

/**
 * Ends messages of schedules that have ended, once no firing of them is READY or SENDING; at most ENDED messages. Returns how
 * many. It locks each message with its schedule, and passes over rows that others hold. So it sees a schedule that got new times
 * meanwhile as it is then, and that schedule keeps its messages. It looks messages up by schedule (index message_attached);
 * `offset 0` forces that. A schedule without messages is marked as finished and not read again (index schedule_ending).
 */
export async function finishEnded(sql: Sql, now: Date): Promise<number> {
  const rows = await sql.query(
    `with finished as (
       update schedule s set finished_at = $1
        where s.next_fire_at is null and s.finished_at is null and s.fired_until < $2
          and not exists (select from message m where m.schedule_id = s.id and m.kind = 'scheduled' and m.state = 'ATTACHED')
     ), over as materialized (
       select m.id from schedule s cross join lateral (
         select id from message m where m.schedule_id = s.id and m.kind = 'scheduled' and m.state = 'ATTACHED'
            and not exists (select from firing f where f.message_id = m.id and f.state in ('READY', 'SENDING'))
            offset 0 for no key update skip locked) m
        where s.next_fire_at is null and s.finished_at is null limit ${ENDED} for no key update of s skip locked
     )
     update message m set state = 'FINISHED', complete_at = $1 from over where m.id = over.id returning m.id`,
    [now, new Date(now.getTime() - ATTACHED_BY_MS)],
  );
  return rows.length;
}
