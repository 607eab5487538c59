// What is due to be asked of the push service about sends, of every project in turn, and what was found, for a whole
// batch in one statement. Nobody claims a poll: reading is all, and of two that ask about the same the first to write
// wins. A poll is a GET, or a cancel, which may be repeated.
import { arrayText, columnsOf } from '../../../platform/database/columns.js';
import type { Sql } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/pooled-database.js';
import type { Mode } from '../../decide/timing/mode.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { SendGoal, SendState } from '../../decide/lifecycle/send-state.js';
import type { Slice } from '../../decide/lifecycle/slice.js';
import type { CallEnd } from './answer.store.js';
import type { ReadPlace } from './look-ahead.store.js';
import { inOrderOfId } from './move.store.js';
import { EVERY_DAY, type Days } from './work-days.store.js';

export type FollowedState = Extract<
  SendState,
  'accepted' | 'reserved' | 'scheduled' | 'canceling' | 'uncertain'
>;

/** As the column has it: results and reservations to be polled, cancels to be made, or uncertain sends with a requestId. */
export type PollWork = 'p' | 'c' | 'u';

export interface DuePoll {
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
  readonly polls: number;
  /** Of state so far: what a poll found counts only while this stands. */
  readonly changes: number;
  /** Of a standing message: when we end it. */
  readonly until: EpochMs | null;
}

/** Whose polls a follower makes. */
export interface PollScope {
  readonly now: EpochMs;
  readonly works: readonly PollWork[];
  readonly slice: Slice;
  /** Those that may hold work; left out, all. */
  readonly days?: Days;
}

export interface PollAsk extends PollScope {
  readonly limit: number;
  /** How many more of each project may be asked about at once; any other project: `room`. */
  readonly rooms: ReadonlyMap<string, number>;
  readonly room: number;
  /** Ids that this follower has in hand, of the projects with room. */
  readonly held: readonly string[];
  readonly round: number;
  /** Only what lies behind these places, and of other projects behind an instant; left out: from the start. */
  readonly further?:
    { readonly places: ReadonlyMap<string, ReadPlace>; readonly readUpTo: EpochMs } | undefined;
}

/** `next_at` and what follows it in the index: a further read goes on behind it. */
export type FoundPoll = DuePoll & { readonly nextAt: EpochMs; readonly chunk: number };

// sql/scheduler/functions/due_polls.sql: 1 ms, 2 µs for each row, and 3 for each that is held and stands before them.
const DUE = prepared(`
select id, service_id as "serviceId", state, goal, changes, mode, detail, schedule_code as "scheduleCode",
       request_id as "requestId", due_ms as "dueAt", handed_off_ms as "handedOffAt", state_ms as "stateAt", polls,
       next_ms as "nextAt", chunk, until_ms as until
  from due_polls($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`);

/**
 * The follower's own slice first, then whatever of the others nobody asked about in time, and nothing that it holds
 * already. Index send_work, (service_id, work, next_at, chunk, id): each project is probed on its own, so one that does
 * not answer keeps nobody else's results waiting. Locks nothing.
 */
export async function duePolls(sql: Sql, ask: PollAsk): Promise<FoundPoll[]> {
  const { slice, further, days = EVERY_DAY } = ask;
  return sql.query<FoundPoll>(DUE, [
    new Date(ask.now),
    ask.works,
    ask.limit,
    ask.room,
    JSON.stringify(Object.fromEntries(ask.rooms)),
    further === undefined ? '{}' : JSON.stringify(Object.fromEntries(further.places)),
    further === undefined ? null : new Date(further.readUpTo),
    arrayText(ask.held, 'uuid'),
    ask.round,
    slice.index,
    slice.of,
    days.lows,
    days.highs,
    days.few,
  ]);
}

// sql/scheduler/functions/next_poll.sql.
const NEXT = prepared('select next_poll($1, $2, $3, $4, $5, $6, $7) as next');

/**
 * When duePolls() has more to say after `now`, of projects that do not rest; null where none waits. The same index: its
 * head beyond `now`, a project's each.
 */
export async function nextPollAt(sql: Sql, scope: PollScope): Promise<EpochMs | null> {
  const { now, works, slice, days = EVERY_DAY } = scope;
  const parameters = [new Date(now), works, slice.index, slice.of, days.lows, days.highs, days.few];
  const [row] = await sql.query<{ next: number | null }>(NEXT, parameters);
  return row?.next ?? null;
}

export interface PollRow {
  readonly id: string;
  /** Of a standing message: its counts are kept by day. */
  readonly isStanding: boolean;
  /** The send's when it was read. */
  readonly changes: number;
  /** The send's when it was read: of a row that moves nothing, they tell whether it was written already. */
  readonly pollsBefore: number;
  readonly from: FollowedState;
  /** Where it goes; `goal`: what the cancel, pause or revision asked for; null: it stays. */
  readonly to: SendState | 'goal' | null;
  readonly code: string | null;
  readonly detail: string | null;
  readonly at: EpochMs;
  readonly nextAt: EpochMs | null;
  readonly polls: number;
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

export interface CancelCallRow extends CallEnd {
  readonly startedAt: EpochMs;
}

const COLUMNS = columnsOf<PollRow>(
  `id uuid, changes int, polls_before int, from text, to text, code text, detail text, at timestamptz, next_at timestamptz,
   polls int, gateway_status text, target_count int, sent_count int, complete_time timestamptz, drops_goal boolean, goal text`,
);

/**
 * How many were written; the others had been moved by somebody else meanwhile, or were written by a first try whose answer
 * was lost. The call of a cancel is noted all the same.
 */
export async function recordPolls(sql: Sql, rows: readonly PollRow[], by: string): Promise<number> {
  if (rows.length === 0) return 0;
  // In order of id, in which every batch locks its sends.
  const calls = rows.flatMap((row) => (row.call === null ? [] : [callColumns(row, row.call)]));
  // sql/scheduler/functions/record_polls.sql: by the primary key.
  const [written] = await sql.query<{ count: number }>(
    `select record_polls(${COLUMNS.arrays}, $17, $18, $19) as count`,
    [
      ...COLUMNS.parametersOf(inOrderOfId(rows)),
      calls.length === 0 ? null : JSON.stringify(calls),
      rows.some((row) => row.isStanding),
      by,
    ],
  );
  return written?.count ?? 0;
}

function callColumns(row: PollRow, call: CancelCallRow): Readonly<Record<string, unknown>> {
  return {
    id: row.id,
    started_at: new Date(call.startedAt),
    ended_at: new Date(row.at),
    request_sent: call.requestSent,
    http_status: call.httpStatus,
    error_code: call.errorCode,
    answer: call.answer,
    outcome: call.outcome,
  };
}
