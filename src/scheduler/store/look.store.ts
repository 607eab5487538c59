// The follower's claims and what its looks found: due looks of every project in turn, and their outcome for a whole
// batch in one statement. A look is a GET (or a cancel, which may be repeated), so a lease that ends early costs a
// request and nothing else.
import { arraysOf, type Column } from '../../platform/column-text.js';
import { rowsOf, type Sql } from '../../platform/database.js';
import { prepared } from '../../platform/pooled-database.js';
import type { Mode } from '../decide/mode.js';
import type { EpochMs } from '../decide/ports.js';
import type { SendGoal, SendState } from '../decide/send.js';
import { inOrderOfId, instant } from './batch-columns.js';

export type FollowedState = Extract<SendState, 'accepted' | 'reserved' | 'scheduled' | 'canceling'>;

/** As the column has it: results and reservations to be polled, or cancels to be made. */
export type LookWork = 'p' | 'c';

export interface DueLook {
  readonly id: string;
  readonly serviceId: string;
  readonly state: FollowedState;
  readonly goal: SendGoal | null;
  readonly mode: Mode;
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

export interface LookAsk {
  readonly now: EpochMs;
  readonly works: readonly LookWork[];
  readonly leaseMs: number;
  readonly limit: number;
  /** How many more of each project may be asked about at once; any other project: `room`. */
  readonly rooms: ReadonlyMap<string, number>;
  readonly room: number;
  readonly round: number;
}

/**
 * Index send_work, (service_id, work, next_at, chunk, id): each project is probed on its own, so one
 * that does not answer keeps nobody else's results waiting. Who has a row of look_claim asks; two replicas that want the
 * same meet at its key, in order of id. A project that rests is let be, but for one stopped by hand: what it has sent is
 * followed, and cancelled.
 */
export async function claimLooks(sql: Sql, ask: LookAsk): Promise<DueLook[]> {
  // sql/scheduler/functions/claim_looks.sql: planned once a connection.
  return rowsOf<DueLook>(sql, CLAIM, [
    new Date(ask.now),
    ask.works,
    ask.leaseMs,
    ask.limit,
    ask.room,
    [...ask.rooms.keys()],
    [...ask.rooms.values()],
    ask.round,
  ]);
}

const CLAIM = prepared(`
select id, service_id as "serviceId", state, goal, changes, mode, schedule_code as "scheduleCode", request_id as "requestId",
       due_ms as "dueAt", handed_off_ms as "handedOffAt", state_ms as "stateAt", looks, until_ms as until
  from claim_looks($1, $2, $3::int * interval '1 millisecond', $4, $5, $6, $7, $8)`);

const NEXT = prepared(`
select ceil(extract(epoch from min(head.next_at)) * 1000)::float8 as next
  from project p cross join unnest($2::"char"[]) as w(work) cross join lateral (
    select s.next_at from send s
     where s.service_id = p.service_id and s.work = w.work and s.next_at > $1
     order by s.next_at limit 1) head
 where p.resting_until is null or p.resting_until <= $1 or p.resting_code = 'STOPPED'`);

/**
 * When the next look comes due after `now`, of projects that do not rest; null where none waits. The same index: its
 * head beyond `now`, a project's each.
 */
export async function nextLookAt(
  sql: Sql,
  now: EpochMs,
  works: readonly LookWork[],
): Promise<EpochMs | null> {
  const [row] = await rowsOf<{ next: number | null }>(sql, NEXT, [new Date(now), works]);
  return row?.next ?? null;
}

/** Gives claims back unasked: the next claim may take them. */
export async function releaseLooks(sql: Sql, ids: readonly string[]): Promise<void> {
  await rowsOf(sql, 'delete from look_claim where send = any($1::uuid[])', [ids]);
}

/** Claims that a dead process left, of sends that ended meanwhile: nothing else would find them again. Scans the table, which is as small as what is asked at one moment. */
export async function forgetLostLooks(sql: Sql): Promise<void> {
  await rowsOf(sql, "delete from look_claim where lease_until < clock_timestamp() - interval '1 hour'");
}

export interface LookRow {
  readonly id: string;
  /** Of a standing message: its counts are kept by day. */
  readonly isStanding: boolean;
  /** The send's when it was claimed. */
  readonly changes: number;
  /** The send's when it was claimed: of a row that moves nothing, they tell whether it was written already. */
  readonly looksBefore: number;
  readonly from: FollowedState | 'uncertain';
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
 * was lost.
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
