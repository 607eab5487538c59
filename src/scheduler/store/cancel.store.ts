// Cancelling a whole campaign: its row first, then every send that has not ended, in one statement by the table of
// decide/send.ts. Runs in the caller's transaction; never calls the push service, the cancel loop does.
import { rowsOf, type Sql } from '../../platform/database.js';

export interface CancelAsk {
  /** Our id of the campaign. */
  readonly campaign: string;
  readonly now: Date;
  /** Who asked: a token's name, or the event's source. */
  readonly by: string;
  readonly code: string;
  readonly detail?: string;
}

/** `already`: a cancel is under way and nothing changes. `closed`: the campaign has ended, or is unknown. */
export type CancelVerdict = { readonly kind: 'asked' | 'closed' | 'already' };

const LOCK_CAMPAIGN = 'select state from campaign where id = $1 for update';

const MOVE_CAMPAIGN = `
update campaign set state = 'canceling', code = $4, detail = $5, state_at = $2, state_by = $3 where id = $1`;

const MOVE_OCCURRENCES = `
update occurrence set state = 'canceling', code = $3, state_at = $2
 where campaign = $1 and state in ('planned', 'running')`;

const MOVES = "s.state in ('planned', 'claimed', 'held', 'reserved', 'scheduled')";

// Index send_campaign. The rows are locked in order of id, as every batched statement on send does, so that two of
// them wait and never deadlock. One statement for all states: a send that the dispatcher moves from sending to
// reserved meanwhile is judged by its newest row. A claimed send loses its token: its worker can no longer fire it.
const MOVE_SENDS = `
with open_send as materialized (
  select id from send
   where campaign = $1
     and state in ('planned', 'claimed', 'held', 'reserved', 'scheduled', 'sending', 'canceling', 'uncertain')
   order by id for no key update)
update send s set
  state = case when s.state in ('planned', 'claimed', 'held') then 'canceled'
               when s.state in ('reserved', 'scheduled') then 'canceling' else s.state end,
  goal = case when s.state in ('planned', 'claimed', 'held') then s.goal else 'canceled' end,
  history = s.history + case when ${MOVES} then 1 else 0 end,
  code = case when ${MOVES} then $4 else s.code end,
  detail = case when ${MOVES} then $5 else s.detail end,
  state_at = case when ${MOVES} then $2 else s.state_at end,
  state_by = case when ${MOVES} then $3 else s.state_by end,
  claim_token = case when ${MOVES} then null else s.claim_token end,
  lease_until = case when ${MOVES} then null else s.lease_until end,
  looks = case when s.state in ('reserved', 'scheduled') then 0 else s.looks end,
  next_look_at = case when s.state in ('reserved', 'scheduled') then $2
                      when s.state in ('planned', 'claimed', 'held') then null else s.next_look_at end
from open_send o
where s.id = o.id`;

const NOTIFY = "select pg_notify('carillon_cancel', ''), pg_notify('carillon_close', '')";

/**
 * Asks for the cancel of a campaign: what has not left is canceled, what the push service holds goes to `canceling`,
 * what is on the wire or uncertain keeps its state with the goal raised to `canceled`. The campaign's row stays locked
 * until the caller commits; planning and retries lock it too, so no send is born beside the cancel.
 */
export async function askCancel(sql: Sql, ask: CancelAsk): Promise<CancelVerdict> {
  const [found] = await rowsOf<{ state: string }>(sql, LOCK_CAMPAIGN, [ask.campaign]);
  if (found === undefined) return { kind: 'closed' };
  switch (found.state) {
    case 'canceling':
      return { kind: 'already' };
    case 'completed':
    case 'expired':
    case 'canceled':
    case 'rejected':
      return { kind: 'closed' };
  }
  const { campaign, now, by, code, detail = null } = ask;
  await rowsOf(sql, MOVE_CAMPAIGN, [campaign, now, by, code, detail]);
  await rowsOf(sql, MOVE_OCCURRENCES, [campaign, now, code]);
  await rowsOf(sql, MOVE_SENDS, [campaign, now, by, code, detail]);
  await rowsOf(sql, NOTIFY);
  return { kind: 'asked' };
}
