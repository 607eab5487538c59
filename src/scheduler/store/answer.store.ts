// Writing down what came of a call: the send's next state, its attempt, and what the answer says, for a whole batch in
// one transaction. Fenced by the token, so an answer that came after an operator's word changes nothing.
import { rowsOf, type Sql } from '../../platform/database.js';
import type { EpochMs } from '../decide/ports.js';
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

// A send that lost its lease meanwhile is uncertain and still carries the token: its answer settles it, a refusal as
// proof that nothing was sent. The other arrows of that row are the table's.
// By the primary keys alone (see fire.store.ts).
const RECORD = `
with given as (
  select * from unnest($1::uuid[], $2::uuid[], $3::int[], $4::text[], $5::text[], $6::text[], $7::float8[], $8::text[],
                       $9::text[], $10::float8[], $11::float8[], $12::boolean[], $13::int[], $14::text[], $15::text[], $16::text[])
    as g(id, token, attempt, state, code, detail, answered_ms, request_id, gateway_status, look_ms, hand_off_ms,
         request_sent, http_status, error_code, answer, outcome)),
mine as materialized (
  select s.id from given g join send s on s.id = g.id where s.state || '' in ('sending', 'uncertain')
   order by s.id for no key update of s),
noted as (
  update attempt a set ended_at = to_timestamp(g.answered_ms / 1000), request_sent = g.request_sent,
         http_status = g.http_status, error_code = g.error_code, answer = g.answer, outcome = g.outcome
    from given g where a.send = g.id and a.attempt = g.attempt and a.ended_at is null)
update send s set
       state = case when s.state = 'sending' and g.state = 'planned' then coalesce(s.goal, 'planned')
                    when s.state = 'uncertain' and g.state = 'rejected' then 'planned' else g.state end,
       history = s.history + 1, code = g.code, detail = g.detail,
       state_at = to_timestamp(g.answered_ms / 1000), state_by = $17,
       answered_at = case when g.http_status is null then s.answered_at else to_timestamp(g.answered_ms / 1000) end,
       request_id = coalesce(g.request_id, s.request_id), gateway_status = coalesce(g.gateway_status, s.gateway_status),
       next_look_at = to_timestamp(g.look_ms / 1000), looks = 0,
       hand_off_at = coalesce(to_timestamp(g.hand_off_ms / 1000), s.hand_off_at),
       claim_token = null, lease_until = null
  from given g join mine on mine.id = g.id
 where s.id = g.id and s.claim_token = g.token
   and (s.state || '' = 'sending' or s.state || '' = 'uncertain' and g.state <> 'uncertain')
returning s.id, s.state, s.goal`;

// Asked for while the call was on the wire: what the push service holds now is taken back from it, and what has proved
// not sent after all goes where the goal says.
const FOLLOW_GOAL = `
update send s set
       state = case s.state when 'planned' then s.goal else 'canceling' end, history = s.history + 1,
       state_at = $2::timestamptz, state_by = $3, next_look_at = case s.state when 'planned' then null else $2::timestamptz end
 where s.id = any($1::uuid[]) and s.goal is not null and s.state in ('planned', 'reserved', 'scheduled')`;

/** How many were written; the others had been settled by somebody else. One transaction of the caller's. */
export async function recordAnswers(
  sql: Sql,
  answers: readonly RecordedAnswer[],
  by: string,
  now: EpochMs,
): Promise<number> {
  const column = <Value>(pick: (one: RecordedAnswer) => Value): Value[] => answers.map(pick);
  const rows = await rowsOf<{ id: string; state: string; goal: string | null }>(sql, RECORD, [
    column((one) => one.id),
    column((one) => one.token),
    column((one) => one.attempt),
    column((one) => one.state),
    column((one) => one.code),
    column((one) => one.detail),
    column((one) => one.answeredAt),
    column((one) => one.requestId),
    column((one) => one.gatewayStatus),
    column((one) => one.nextLookAt),
    column((one) => one.handOffAt),
    column((one) => one.requestSent),
    column((one) => one.httpStatus),
    column((one) => one.errorCode),
    column((one) => one.answer),
    column((one) => one.outcome),
    by,
  ]);
  const wanted = rows.filter(
    (row) => row.goal !== null && ['planned', 'reserved', 'scheduled'].includes(row.state),
  );
  if (wanted.length > 0) {
    await rowsOf(sql, FOLLOW_GOAL, [wanted.map((row) => row.id), new Date(now), by]);
    await rowsOf(sql, 'select pg_notify($1, $2)', [CHANNELS.cancel, '']);
  }
  return rows.length;
}
