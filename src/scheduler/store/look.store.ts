// What is due to be asked of the push service about sends, of every project in turn, and what was found, for a whole
// batch in one statement. Nobody claims a look: reading is all, and of two that ask about the same the first to write
// wins. A look is a GET, or a cancel, which may be repeated.
import { arraysOf, type Column } from '../../platform/column-text.js';
import { rowsOf, type Sql } from '../../platform/database.js';
import { prepared } from '../../platform/pooled-database.js';
import type { Mode } from '../decide/mode.js';
import type { EpochMs } from '../decide/ports.js';
import type { SendGoal, SendState } from '../decide/send.js';
import type { Slice } from '../decide/slice.js';
import { inOrderOfId, instant } from './batch-columns.js';

export type FollowedState = Extract<
  SendState,
  'accepted' | 'reserved' | 'scheduled' | 'canceling' | 'uncertain'
>;

/** As the column has it: results and reservations to be polled, cancels to be made, or uncertain sends with a requestId. */
export type LookWork = 'p' | 'c' | 'u';

export interface DueLook {
  readonly id: string;
  readonly serviceId: string;
  readonly state: FollowedState;
  readonly goal: SendGoal | null;
  readonly mode: Mode;
  readonly detail: string | null;
  readonly scheduleCode: string | null;
  readonly requestId: string | null;
  readonly dueAt: EpochMs | null;
  readonly handedOffAt: EpochMs;
  /** Since when it stands in its state: of an accepted send, when the push service began to send. */
  readonly stateAt: EpochMs;
  readonly looks: number;
  /** Of state so far: what a look found counts only while this stands. */
  readonly changes: number;
  /** Of a standing message: when we end it. */
  readonly until: EpochMs | null;
}

/** Whose looks a follower makes. */
export interface LookScope {
  readonly now: EpochMs;
  readonly works: readonly LookWork[];
  readonly slice: Slice;
}

export interface LookAsk extends LookScope {
  readonly limit: number;
  /** How many more of each project may be asked about at once; any other project: `room`. */
  readonly rooms: ReadonlyMap<string, number>;
  readonly room: number;
  /** Ids that this follower has in hand, of the projects with room. */
  readonly held: readonly string[];
  readonly round: number;
}

/** What nobody asked about for so long is anybody's: whose slice it is in may be dead. */
const OTHERS = "interval '1 second'";
/** A project that rests is let be, but for one stopped by hand: what it has sent is followed, and cancelled. */
const IN_SERVICE = "(p.resting_until is null or p.resting_until <= $1 or p.resting_code = 'STOPPED')";
/** Its part by the hash of the id. */
const PART = (index: number): string => `(uuid_hash(s.id) & 2147483647) % $${index + 1}::int`;

/** Of one project and work, as many as there is room for. The held are hashed once a statement, not compared one by one. */
const page = (due: string): string => `
  (select s.id, s.service_id, s.state, s.goal, s.changes, s.mode, s.detail, s.schedule_code, s.request_id, s.due_at,
          coalesce(s.handed_off_at, s.created_at) as handed_off_at, s.state_at, s.looks, s.campaign, s.revision
     from send s
    where s.service_id = room.service_id and s.work = w.work and ${due}
      and s.id not in (select held.id from unnest(string_to_array($8, ',')::uuid[]) as held(id))
    order by s.next_at, s.chunk, s.id limit room.room)`;

const DUE = prepared(`
with room as materialized (
  select p.service_id, coalesce(r.room, $4::int) as room
    from project p left join unnest($5::text[], $6::int[]) as r(service_id, room) on r.service_id = p.service_id
   where coalesce(r.room, $4::int) > 0 and ${IN_SERVICE}
   order by hashtextextended(p.service_id, $7::bigint))
select d.id, d.service_id as "serviceId", d.state, d.goal, d.changes, d.mode, d.detail, d.schedule_code as "scheduleCode",
       d.request_id as "requestId", (extract(epoch from d.due_at) * 1000)::float8 as "dueAt",
       (extract(epoch from d.handed_off_at) * 1000)::float8 as "handedOffAt",
       (extract(epoch from d.state_at) * 1000)::float8 as "stateAt", d.looks,
       case when d.mode = 'scheduled' then
         (select (r.data->'delivery'->>'until')::float8 from revision r where r.campaign = d.campaign and r.revision = d.revision)
       end as until
  from room cross join unnest($2::"char"[]) as w(work) cross join lateral (
    select * from (${page(`s.next_at <= $1 and ${PART(9)} = $9::int`)}
      union all${page(`$10::int > 1 and s.next_at <= $1 - ${OTHERS} and ${PART(9)} <> $9::int`)}) both_parts
     limit room.room) d
 limit $3::int`);

/**
 * The follower's own slice first, then whatever of the others nobody asked about in time, and nothing that it holds
 * already. Index send_work, (service_id, work, next_at, chunk, id): each project is probed on its own, so one that does
 * not answer keeps nobody else's results waiting. Locks nothing.
 */
export async function dueLooks(sql: Sql, ask: LookAsk): Promise<DueLook[]> {
  return rowsOf<DueLook>(sql, DUE, [
    new Date(ask.now),
    ask.works,
    ask.limit,
    ask.room,
    [...ask.rooms.keys()],
    [...ask.rooms.values()],
    ask.round,
    ask.held.join(','),
    ask.slice.index,
    ask.slice.of,
  ]);
}

const head = (at: string, due: string): string => `
  (select ${at} as at from send s where s.service_id = p.service_id and s.work = w.work and ${due} order by s.next_at limit 1)`;

const NEXT = prepared(`
select ceil(extract(epoch from min(head.at)) * 1000)::float8 as next
  from project p cross join unnest($2::"char"[]) as w(work) cross join lateral (
    ${head('s.next_at', `s.next_at > $1 and ${PART(3)} = $3::int`)}
    union all
    ${head(`s.next_at + ${OTHERS}`, `$4::int > 1 and s.next_at > $1 - ${OTHERS} and ${PART(3)} <> $3::int`)}) head
 where ${IN_SERVICE}`);

/**
 * When dueLooks() has more to say after `now`, of projects that do not rest; null where none waits. The same index: its
 * head beyond `now`, a project's each.
 */
export async function nextLookAt(sql: Sql, { now, works, slice }: LookScope): Promise<EpochMs | null> {
  const parameters = [new Date(now), works, slice.index, slice.of];
  const [row] = await rowsOf<{ next: number | null }>(sql, NEXT, parameters);
  return row?.next ?? null;
}

export interface LookRow {
  readonly id: string;
  /** Of a standing message: its counts are kept by day. */
  readonly isStanding: boolean;
  /** The send's when it was read. */
  readonly changes: number;
  /** The send's when it was read: of a row that moves nothing, they tell whether it was written already. */
  readonly looksBefore: number;
  readonly from: FollowedState;
  /** Where it goes; `goal`: what the cancel, pause or revision asked for; null: it stays. */
  readonly to: SendState | 'goal' | null;
  readonly code: string | null;
  readonly detail: string | null;
  readonly at: EpochMs;
  readonly nextAt: EpochMs | null;
  readonly looks: number;
  readonly gatewayStatus: string | null;
  readonly targetCount: number | null;
  readonly sentCount: number | null;
  readonly completeTime: EpochMs | null;
  /** A cancel came too late: nothing is wanted of it any more. */
  readonly dropsGoal: boolean;
  /** A new goal, where the follower itself ends a standing message. */
  readonly goal: SendGoal | null;
  /** The cancel's call, where one was made. */
  readonly call: CancelCallRow | null;
}

export interface CancelCallRow {
  readonly startedAt: EpochMs;
  readonly requestSent: boolean;
  readonly httpStatus: number | null;
  readonly errorCode: string | null;
  readonly answer: string | null;
  readonly outcome: string;
}

const COLUMNS: readonly Column<LookRow>[] = [
  { name: 'id', type: 'uuid', of: (row) => row.id },
  { name: 'changes', type: 'int', of: (row) => row.changes },
  { name: 'looks_before', type: 'int', of: (row) => row.looksBefore },
  { name: 'from_state', type: 'text', of: (row) => row.from },
  { name: 'to_state', type: 'text', of: (row) => row.to },
  { name: 'code', type: 'text', of: (row) => row.code },
  { name: 'detail', type: 'text', of: (row) => row.detail, foreign: true },
  { name: 'at', type: 'timestamptz', of: (row) => instant(row.at) },
  { name: 'next_at', type: 'timestamptz', of: (row) => instant(row.nextAt) },
  { name: 'looks', type: 'int', of: (row) => row.looks },
  { name: 'gateway_status', type: 'text', of: (row) => row.gatewayStatus, foreign: true },
  { name: 'target_count', type: 'int', of: (row) => row.targetCount },
  { name: 'sent_count', type: 'int', of: (row) => row.sentCount },
  { name: 'complete_time', type: 'timestamptz', of: (row) => instant(row.completeTime) },
  { name: 'drops_goal', type: 'boolean', of: (row) => row.dropsGoal },
  { name: 'goal', type: 'text', of: (row) => row.goal },
];

/**
 * How many were written; the others had been moved by somebody else meanwhile, or were written by a first try whose answer
 * was lost. The call of a cancel is noted all the same.
 */
export async function recordLooks(sql: Sql, rows: readonly LookRow[], by: string): Promise<number> {
  if (rows.length === 0) return 0;
  // In order of id, in which every batch locks its sends.
  const { arrays, parameters } = arraysOf(COLUMNS, inOrderOfId(rows));
  const calls = rows.flatMap((row) => (row.call === null ? [] : [callColumns(row, row.call)]));
  // sql/scheduler/functions/record_looks.sql: by the primary key, planned once.
  const [written] = await rowsOf<{ count: number }>(
    sql,
    `select record_looks(${arrays.join(', ')}, $17, $18, $19) as count`,
    [
      ...parameters,
      calls.length === 0 ? null : JSON.stringify(calls),
      rows.some((row) => row.isStanding),
      by,
    ],
  );
  return written?.count ?? 0;
}

function callColumns(row: LookRow, call: CancelCallRow): Readonly<Record<string, unknown>> {
  return {
    id: row.id,
    started_at: instant(call.startedAt),
    ended_at: instant(row.at),
    request_sent: call.requestSent,
    http_status: call.httpStatus,
    error_code: call.errorCode,
    answer: call.answer,
    outcome: call.outcome,
  };
}
