// Records the answers to polls, for a whole batch in one statement. Nobody claims a poll: two followers may ask about the same send, and
// the first to write wins. That is safe: a poll is a GET, or a cancel, which may be repeated.
import { typedRows } from '../../../platform/database/row-arrays.js';
import { firstRow, type Sql } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/pooled-database.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { SendGoal, SendState } from '../../decide/lifecycle/send-state.js';
import type { CallEnd } from './answer.store.js';
import { inOrderOfId } from './move.store.js';
import type { FollowedState, ReadAsk } from './read-work.store.js';

// sql/scheduler/functions/next_poll.sql.
const NEXT = prepared('select next_poll($1, $2, $3, $4) as next');

/**
 * The first instant after `now` at which readPolls() will find more, in projects that are not blocked; null: nothing waits. Reads the
 * same index: its first entry after `now` for each project.
 */
export async function nextPollAt(
  sql: Sql,
  { now, work, slice }: Pick<ReadAsk, 'now' | 'work' | 'slice'>,
): Promise<EpochMs | null> {
  const parameters = [new Date(now), work, slice.index, slice.of];
  const row = await firstRow<{ next: number | null }>(sql, NEXT, parameters);
  return row?.next ?? null;
}

export interface PollRow {
  readonly id: string;
  /** The send's changes when it was read. */
  readonly changes: number;
  /** The send's polls when it was read: for a row that moves nothing, they show whether it was written already. */
  readonly pollsBefore: number;
  readonly from: FollowedState;
  /** The next state; `goal`: the state that the cancel, pause or revision asked for; null: it stays. */
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
  /** A new goal, if the follower itself ends a standing message. */
  readonly goal: SendGoal | null;
  /** The call of a cancel, if one was made. */
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
 * Returns how many rows it wrote. The other sends were moved by somebody else, or an earlier try of this statement, whose answer was
 * lost, has written them. The call of a cancel is noted in any case.
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
