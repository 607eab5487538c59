// Reads how every project stands, in one statement: what holds it, what is overdue, uncertain, failed, and held by its push service.
// Reads only. However many sends there are, it looks at no more than MOST of each kind and project.
import type { Sql } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/pooled-database.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { TROUBLE_GOOD_FOR } from '../../push-client/blocks/project-trouble.store.js';

/** The most sends of a kind that are counted; a count that reaches it is a lower bound. */
export const MOST = 10_000;
/** A send that is leaving is not overdue yet, milliseconds. */
const LEAVING_MS = 1_000;
const HOUR_MS = 3_600_000;
/** Failures of this time are shown, milliseconds. */
export const FAILED_WITHIN_MS = 7 * 86_400_000;
/** Failures and rejections of this time count for alerts, milliseconds. */
export const LATELY_MS = 15 * 60_000;

/** Lasts while a process has it. */
export interface TroubleReading {
  readonly code: string;
  readonly detail: string | null;
  readonly processes: number;
  readonly since: string;
}

export interface ProjectReading {
  readonly serviceId: string;
  /** What holds it for all processes, such as `STOPPED`; null: nothing. */
  readonly blockedCode: string | null;
  readonly blockedDetail: string | null;
  readonly blockedUntil: Date | null;
  readonly blockedSince: Date | null;
  /** Who stopped it. */
  readonly blockedBy: string | null;
  readonly troubles: readonly TroubleReading[];
  readonly dueNextHour: number;
  readonly overdue: number;
  /** When the oldest of them should have left. */
  readonly overdueSince: Date | null;
  readonly uncertain: number;
  readonly uncertainSince: Date | null;
  /** Newest sends that ended badly within FAILED_WITHIN_MS, and when the first and the last of them did. */
  readonly failed: number;
  readonly failedSince: Date | null;
  readonly failedLast: Date | null;
  /** Sends that failed within LATELY_MS, retried since or not. */
  readonly failedLately: number;
  /** Reservations that the push service holds, and when the next is due. */
  readonly reserved: number;
  readonly nextReserved: Date | null;
}

// Heads of index send_work, and of send_attention in the partitions of the days since $4. No locks. With a limit in each of the
// subselects a project that has millions of sends costs as much as one with MOST.
const PROJECTS = prepared(`
select p.service_id as "serviceId",
       case when p.blocked_until > $1 then p.blocked_code end as "blockedCode", p.blocked_detail as "blockedDetail",
       nullif(p.blocked_until, 'infinity') as "blockedUntil", p.blocked_since as "blockedSince", p.blocked_by as "blockedBy",
       coalesce((select jsonb_agg(jsonb_build_object('code', t.code, 'detail', t.detail, 'processes', t.processes,
                   'since', to_char(t.since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by t.code)
          from (select code, max(detail) as detail, count(*) as processes, min(since) as since from project_trouble
                 where service_id = p.service_id and seen_at > clock_timestamp() - ${TROUBLE_GOOD_FOR} group by code) t),
         '[]') as troubles,
       (soon.sends + held.soon)::int as "dueNextHour", late.sends as overdue, late.oldest as "overdueSince",
       lost.sends as uncertain, lost.oldest as "uncertainSince",
       bad.standing as failed, bad.first as "failedSince", bad.last as "failedLast", bad.lately as "failedLately",
       held.sends as reserved, held.next as "nextReserved"
  from project p
 cross join lateral (
   select count(*)::int as sends from (
     select from send_open s where s.service_id = p.service_id and s.work = 'f' and s.state = 'planned'
        and s.next_at > $1 and s.next_at <= $3 order by s.next_at, s.chunk, s.id limit ${MOST}) s) soon
 cross join lateral (
   select count(*)::int as sends, min(s.next_at) as oldest from (
     select s.next_at from send_open s where s.service_id = p.service_id and s.work = 'f' and s.state = 'planned'
        and s.next_at <= $2 order by s.next_at, s.chunk, s.id limit ${MOST}) s) late
 cross join lateral (
   select count(*)::int as sends, min(s.state_at) as oldest from (
     select s.state_at from send_open s where s.service_id = p.service_id and s.work in ('r', 'u') limit ${MOST}) s) lost
 cross join lateral (
   select count(*) filter (where s.state = 'reserved')::int as sends, min(s.due_at) filter (where s.state = 'reserved') as next,
          count(*) filter (where s.state = 'reserved' and s.due_at > $1 and s.due_at <= $3)::int as soon from (
     select s.state, s.due_at from send_open s where s.service_id = p.service_id and s.work = 'p'
      order by s.next_at, s.chunk, s.id limit ${MOST}) s) held
 cross join lateral (
   select count(*) filter (where s.next_send is null)::int as standing, count(*) filter (where s.ended_at >= $5)::int as lately,
          min(s.ended_at) filter (where s.next_send is null) as first, max(s.ended_at) filter (where s.next_send is null) as last from (
     select s.next_send, s.ended_at from send s
      where s.service_id = p.service_id and s.needs_attention and s.ended_at >= $4 and s.ended_at < 'infinity'
      order by s.id desc limit ${MOST}) s) bad
 order by p.service_id`);

export async function readProjects(sql: Sql, now: EpochMs): Promise<ProjectReading[]> {
  const at = (before: number): Date => new Date(now - before);
  return sql.query<ProjectReading>(PROJECTS, [
    at(0),
    at(LEAVING_MS),
    at(-HOUR_MS),
    at(FAILED_WITHIN_MS),
    at(LATELY_MS),
  ]);
}
