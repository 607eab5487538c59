// Writing down what came of a call: the send's next state, its attempt, and what the answer says, for a whole batch in
// one statement. Fenced by the attempt's number and the state: an answer that came after an operator's word changes nothing.
import { columnsOf } from '../../../platform/database/columns.js';
import type { Sql } from '../../../platform/database/database.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { inOrderOfId } from './move.store.js';

/** The state an answer leads to from `sending`; `planned` becomes the goal where one was asked for meanwhile. */
export type AnsweredState = 'accepted' | 'reserved' | 'scheduled' | 'rejected' | 'planned' | 'uncertain';

/** What a call came to, of its attempt. */
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
  /** When to ask about it first, or, of one that did not leave, to try again; null: never. */
  readonly nextAt: EpochMs | null;
}

const ANSWERS = columnsOf<RecordedAnswer>(
  `id uuid, attempt int, state text, code text, detail text, answered_at timestamptz, request_id text, gateway_status text,
   next_at timestamptz, request_sent boolean, http_status int, error_code text, answer text, outcome text`,
);

/**
 * How many moved their sends; the others had been settled by somebody else, and are kept with their attempts alone. A send
 * whose replica was given up meanwhile is uncertain: its answer settles it, a refusal as proof that nothing was sent. A send
 * that was asked back meanwhile goes on its way there with its answer: from planned to its goal, from the push service to
 * canceling.
 */
export async function recordAnswers(
  sql: Sql,
  answers: readonly RecordedAnswer[],
  by: string,
  now: EpochMs,
): Promise<number> {
  if (answers.length === 0) return 0;
  // In order of id, in which every batch locks its sends.
  // sql/scheduler/functions/record_answers.sql: by the primary key.
  const [row] = await sql.query<{ written: number }>(
    `select record_answers(${ANSWERS.arrays}, $15, $16) as written`,
    [...ANSWERS.parametersOf(inOrderOfId(answers)), by, new Date(now)],
  );
  const written = row?.written ?? 0;
  if (written < answers.length) await endAttempts(sql, answers.map(endOf));
  return written;
}

/** How a call ended, of an attempt that has not ended yet. */
export interface AttemptEnd extends CallEnd {
  readonly id: string;
  readonly attempt: number;
  readonly endedAt: EpochMs;
  /** Of a send that is uncertain, when to ask again; null keeps what stands. */
  readonly nextAt: EpochMs | null;
}

const ENDS = columnsOf<AttemptEnd>(
  `id uuid, attempt int, ended_at timestamptz, request_sent boolean, http_status int, error_code text, answer text,
   outcome text, next_at timestamptz`,
);

/** Moves no send. What has ended already stays as it is. In order of id; sql/scheduler/functions/end_attempts.sql. */
export async function endAttempts(sql: Sql, ends: readonly AttemptEnd[]): Promise<void> {
  if (ends.length === 0) return;
  await sql.query(`select end_attempts(${ENDS.arrays})`, ENDS.parametersOf(inOrderOfId(ends)));
}

function endOf(answer: RecordedAnswer): AttemptEnd {
  return { ...answer, endedAt: answer.answeredAt, nextAt: null };
}
