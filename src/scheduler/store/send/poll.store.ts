// Reads which sends the push service is to be asked about, project by project, and records what it answered, for a whole batch in
// one statement. Nobody claims a poll: two followers may ask about the same send, and the first to write wins. A poll is a GET, or
// a cancel, which may be repeated.
import { arrayText, typedRows } from '../../../platform/database/row-arrays.js';
import { firstRow, type Sql } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/pooled-database.js';
import type { Mode } from '../../decide/timing/send-mode.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { SendGoal, SendState } from '../../decide/lifecycle/send-state.js';
import type { Slice } from '../../decide/lifecycle/replica-slice.js';
import type { CallEnd } from './answer.store.js';
import type { ReadPlace } from './look-ahead.store.js';
import { inOrderOfId } from './move.store.js';

export type FollowedState = Extract<
  SendState,
  'accepted' | 'reserved' | 'scheduled' | 'canceling' | 'uncertain'
>;

/** As in the column `work`: results and reservations to poll (p), cancels to make (c), uncertain sends with a requestId (u). */
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
  /** Since when it has been in its state; for an accepted send, when the push service began to send. */
  readonly stateAt: EpochMs;
  readonly polls: number;
  /** Changes of its state so far: what a poll found counts only while this number holds. */
  readonly changes: number;
  /** When we end a standing message. */
  readonly until: EpochMs | null;
}

/** Which polls a follower makes. */
export interface PollScope {
  readonly now: EpochMs;
  readonly works: readonly PollWork[];
  readonly slice: Slice;
}

export interface PollAsk extends PollScope {
  readonly limit: number;
  /** How many more sends of each project may be asked about at once; of any other project: `room`. */
  readonly rooms: ReadonlyMap<string, number>;
  readonly room: number;
  /** Ids that this follower is asking about, of the projects with room. */
  readonly held: readonly string[];
  readonly round: number;
  /** Read on from these places, and for other projects from an instant; left out: from the start. */
  readonly further?:
    { readonly places: ReadonlyMap<string, ReadPlace>; readonly readUpTo: EpochMs } | undefined;
}

/** With its place in the index, from which a further read goes on. */
export type FoundPoll = DuePoll & { readonly nextAt: EpochMs; readonly chunk: number };

// sql/scheduler/functions/due_polls.sql: 1 ms, 2 µs for each row, and 3 µs for each held send that comes before them.
const DUE = prepared(`
select id, service_id as "serviceId", state, goal, changes, mode, detail, schedule_code as "scheduleCode",
       request_id as "requestId", due_ms as "dueAt", handed_off_ms as "handedOffAt", state_ms as "stateAt", polls,
       next_ms as "nextAt", chunk, until_ms as until
  from due_polls($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`);

/**
 * The follower's own slice first, then sends of other slices that nobody asked about in time; skips what it holds already. Index
 * send_work, (service_id, work, next_at, chunk, id): each project is probed on its own, so a project that does not answer delays
 * no other's results. Locks nothing.
 */
export function duePolls(sql: Sql, ask: PollAsk): Promise<FoundPoll[]> {
  const { slice, further } = ask;
  return sql.query(DUE, [
    new Date(ask.now),
    ask.works,
    ask.limit,
    ask.room,
    JSON.stringify(Object.fromEntries(ask.rooms)),
    JSON.stringify(Object.fromEntries(further?.places ?? [])),
    further === undefined ? null : new Date(further.readUpTo),
    arrayText(ask.held, 'uuid'),
    ask.round,
    slice.index,
    slice.of,
  ]);
}

// sql/scheduler/functions/next_poll.sql.
const NEXT = prepared('select next_poll($1, $2, $3, $4) as next');

/**
 * When duePolls() will find more after `now`, in projects that are not blocked; null where nothing waits. Reads the same index:
 * its first entry beyond `now` for each project.
 */
export async function nextPollAt(sql: Sql, { now, works, slice }: PollScope): Promise<EpochMs | null> {
  const parameters = [new Date(now), works, slice.index, slice.of];
  const row = await firstRow<{ next: number | null }>(sql, NEXT, parameters);
  return row?.next ?? null;
}

export interface PollRow {
  readonly id: string;
  /** The send's when it was read. */
  readonly changes: number;
  /** The send's when it was read: for a row that moves nothing, they tell whether it was written already. */
  readonly pollsBefore: number;
  readonly from: FollowedState;
  /** The next state; `goal`: the one that the cancel, pause or revision asked for; null: it stays. */
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
  /** The cancel came too late, so its goal is dropped. */
  readonly dropsGoal: boolean;
  /** A new goal, where the follower ends a standing message itself. */
  readonly goal: SendGoal | null;
  /** The call of a cancel, where one was made. */
  readonly call: CancelCallRow | null;
}

export interface CancelCallRow extends CallEnd {
  readonly startedAt: EpochMs;
}

export const POLLS = typedRows<PollRow>(
  'poll_row',
  `id uuid, changes int, polls_before int, from text, to text, code text, detail text, at timestamptz, next_at timestamptz,
   polls int, gateway_status text, target_count int, sent_count int, complete_time timestamptz, drops_goal boolean, goal text`,
);
// sql/scheduler/functions/record_polls.sql: by the primary key.
const RECORD = prepared(`select ${POLLS.callOf('record_polls', 2)} as count`);

/**
 * Returns how many rows it wrote. The other sends were moved by somebody else meanwhile, or written by a first try whose answer was
 * lost. The call of a cancel is noted in any case.
 */
export async function recordPolls(sql: Sql, rows: readonly PollRow[], by: string): Promise<number> {
  if (rows.length === 0) return 0;
  // In order of id, in which every batch locks its sends.
  const calls = rows.flatMap((row) => (row.call === null ? [] : [callColumns(row, row.call)]));
  const others = [calls.length === 0 ? null : JSON.stringify(calls), by];
  const parameters = [...POLLS.parametersOf(inOrderOfId(rows)), ...others];
  const written = await firstRow<{ count: number }>(sql, RECORD, parameters);
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
