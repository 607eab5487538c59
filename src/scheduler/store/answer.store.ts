// Writing down what came of a call: the send's next state, its attempt, and what the answer says, for a whole batch in
// one transaction. Fenced by the token, so an answer that came after an operator's word changes nothing.
import { arraysOf, type Column } from '../../platform/column-text.js';
import { rowsOf, type Sql } from '../../platform/database.js';
import type { EpochMs } from '../decide/ports.js';
import { inOrderOfId, instant } from './batch-columns.js';
import { CHANNELS } from './channels.js';

/** The state an answer leads to from `sending`; `planned` becomes the goal where one was asked for meanwhile. */
export type AnsweredState = 'accepted' | 'reserved' | 'scheduled' | 'rejected' | 'planned' | 'uncertain';

export interface RecordedAnswer {
  readonly id: string;
  readonly token: string;
  readonly attempt: number;
  readonly state: AnsweredState;
  readonly code: string | null;
  readonly detail: string | null;
  readonly answeredAt: EpochMs;
  readonly requestId: string | null;
  readonly gatewayStatus: string | null;
  /** Of taken sends: when to ask about them first. */
  readonly nextLookAt: EpochMs | null;
  /** Of sends that did not leave: when to try again. */
  readonly handOffAt: EpochMs | null;
  /** For the attempt's row. */
  readonly requestSent: boolean;
  readonly httpStatus: number | null;
  readonly errorCode: string | null;
  readonly answer: string | null;
  readonly outcome: string;
}

const COLUMNS: readonly Column<RecordedAnswer>[] = [
  { name: 'id', type: 'uuid', of: (one) => one.id },
  { name: 'token', type: 'uuid', of: (one) => one.token },
  { name: 'attempt', type: 'int', of: (one) => one.attempt },
  { name: 'state', type: 'text', of: (one) => one.state },
  { name: 'code', type: 'text', of: (one) => one.code },
  { name: 'detail', type: 'text', of: (one) => one.detail, foreign: true },
  { name: 'answered', type: 'timestamptz', of: (one) => instant(one.answeredAt) },
  { name: 'request_id', type: 'text', of: (one) => one.requestId },
  { name: 'gateway_status', type: 'text', of: (one) => one.gatewayStatus, foreign: true },
  { name: 'look', type: 'timestamptz', of: (one) => instant(one.nextLookAt) },
  { name: 'hand_off', type: 'timestamptz', of: (one) => instant(one.handOffAt) },
  { name: 'request_sent', type: 'boolean', of: (one) => one.requestSent },
  { name: 'http_status', type: 'int', of: (one) => one.httpStatus },
  { name: 'error_code', type: 'text', of: (one) => one.errorCode, foreign: true },
  { name: 'answer', type: 'text', of: (one) => one.answer, foreign: true },
  { name: 'outcome', type: 'text', of: (one) => one.outcome },
];

// Asked for while the call was on the wire: what the push service holds now is taken back from it, and what has proved
// not sent after all goes where the goal says.
const FOLLOW_GOAL = `
update send s set
       state = case s.state when 'planned' then s.goal else 'canceling' end, history = s.history + 1,
       state_at = $2::timestamptz, state_by = $3, next_look_at = case s.state when 'planned' then null else $2::timestamptz end
 where s.id = any($1::uuid[]) and s.goal is not null and s.state in ('planned', 'reserved', 'scheduled')`;

/**
 * How many were written; the others had been settled by somebody else. A send that lost its lease meanwhile is uncertain
 * and still carries the token: its answer settles it, a refusal as proof that nothing was sent.
 */
export async function recordAnswers(
  sql: Sql,
  answers: readonly RecordedAnswer[],
  by: string,
  now: EpochMs,
): Promise<number> {
  if (answers.length === 0) return 0;
  // In order of id, in which every batch locks its sends.
  const { arrays, parameters } = arraysOf(COLUMNS, inOrderOfId(answers));
  // The statement is a function of the database (migration 1763700000012): by the primary keys, planned once.
  const rows = await rowsOf<{ id: string; state: string; goal: string | null }>(
    sql,
    `select * from record_answers(${arrays.join(', ')}, $17)`,
    [...parameters, by],
  );
  const wanted = rows.filter(
    (row) => row.goal !== null && ['planned', 'reserved', 'scheduled'].includes(row.state),
  );
  if (wanted.length > 0) {
    await rowsOf(sql, FOLLOW_GOAL, [wanted.map((row) => row.id), new Date(now), by]);
    await rowsOf(sql, 'select pg_notify($1, $2)', [CHANNELS.cancel, '']);
  }
  return rows.length;
}
