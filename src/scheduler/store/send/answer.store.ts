// Writes answers of calls down: each send's next state, its attempt and the facts of the answer, for a whole batch in one statement. The
// attempt's number and the state fence it: an answer that comes after an operator's resolution does not move the send.
import { typedRows } from '../../../platform/database/row-arrays.js';
import { prepared } from '../../../platform/database/pooled-database.js';
import { firstRow, type Sql } from '../../../platform/database/database.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { inOrderOfId } from './move.store.js';

/**
 * The state to which an answer leads from `sending`, and the proof of a close from `uncertain`. `planned` and `failed` become the goal
 * if one was set meanwhile.
 */
export type AnsweredState =
  'accepted' | 'reserved' | 'scheduled' | 'rejected' | 'planned' | 'failed' | 'uncertain';

/** The outcome of an attempt whose key was closed: the send's next request has another key. */
export const KEY_CLOSED = 'key-closed';

/** How the call of an attempt ended. */
export interface CallEnd {
  readonly requestSent: boolean;
  readonly httpStatus: number | null;
  readonly errorCode: string | null;
  readonly answer: string | null;
  readonly outcome: string;
}

export interface RecordedAnswer extends CallEnd {
  readonly id: string;
  readonly attempt: number;
  readonly state: AnsweredState;
  readonly code: string | null;
  readonly detail: string | null;
  readonly answeredAt: EpochMs;
  readonly requestId: string | null;
  readonly gatewayStatus: string | null;
  /** When to ask about it first or, if it was not sent, when to try again; null: never. */
  readonly nextAt: EpochMs | null;
}

export const ANSWERS = typedRows<RecordedAnswer>(
  'recorded_answer',
  `id uuid, attempt int, state text, code text, detail text, answered_at timestamptz, request_id text, gateway_status text,
   next_at timestamptz, request_sent boolean, http_status int, error_code text, answer text, outcome text`,
);
// sql/scheduler/functions/record_answers.sql: by the primary key.
const RECORD = prepared(`select ${ANSWERS.callOf('record_answers', 2)} as written`);

/**
 * Returns how many answers moved their sends. Somebody else has moved the other sends, so their answers are only kept with their
 * attempts. A send whose replica was taken for dead meanwhile is uncertain: the answer ends that, and a refusal proves that nothing was
 * sent. A send that was cancelled or held meanwhile moves with its answer: to its goal if it was not sent, to canceling if the push
 * service has it.
 */
export async function recordAnswers(
  sql: Sql,
  answers: readonly RecordedAnswer[],
  by: string,
  now: EpochMs,
): Promise<number> {
  if (answers.length === 0) return 0;
  // In order of id, in which every batch locks its sends.
  const parameters = [...ANSWERS.parametersOf(inOrderOfId(answers)), by, new Date(now)];
  const row = await firstRow<{ written: number }>(sql, RECORD, parameters);
  const written = row?.written ?? 0;
  if (written < answers.length) {
    await endAttempts(
      sql,
      answers.map((answer) => ({ ...answer, endedAt: answer.answeredAt, nextAt: null })),
    );
  }
  return written;
}

/** How the call of an unfinished attempt ended. `nextAt`: when to repeat or ask about an uncertain send next; null: as before. */
export interface AttemptEnd extends CallEnd, Pick<RecordedAnswer, 'id' | 'attempt' | 'nextAt'> {
  readonly endedAt: EpochMs;
}

export const ATTEMPT_ENDS = typedRows<AttemptEnd>(
  'attempt_end',
  `id uuid, attempt int, ended_at timestamptz, request_sent boolean, http_status int, error_code text, answer text,
   outcome text, next_at timestamptz`,
);
const END = prepared(`select ${ATTEMPT_ENDS.callOf('end_attempts')}`);

/** Moves no send, and does not change ended attempts. In order of id; sql/scheduler/functions/end_attempts.sql. */
export async function endAttempts(sql: Sql, ends: readonly AttemptEnd[]): Promise<void> {
  if (ends.length === 0) return;
  await sql.query(END, ATTEMPT_ENDS.parametersOf(inOrderOfId(ends)));
}
