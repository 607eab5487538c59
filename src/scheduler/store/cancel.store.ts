// Cancelling a campaign, or one occurrence of it: its row first, then every send that has not ended, in one statement by
// the table of decide/send.ts. Runs in the caller's transaction; never calls the push service, the cancel loop does.
import { rowsOf, type Sql } from '../../platform/database.js';

export interface CancelAsk {
  /** Our id of the campaign. */
  readonly campaign: string;
  /** One occurrence alone, which judgeOccurrenceCancel found to be the campaign's; left out: all of it. */
  readonly occurrence?: string | undefined;
  readonly now: Date;
  /** Who asked: a token's name, or the event's source. */
  readonly by: string;
  readonly code: string;
  readonly detail?: string;
}

/**
 * `already`: a cancel is under way or confirmed, of the whole campaign or of the occurrence, and nothing changes.
 * `closed`: campaign or occurrence have ended otherwise, or the campaign is unknown.
 */
export type CancelVerdict = { readonly kind: 'asked' | 'closed' | 'already' };

const LOCK_CAMPAIGN = 'select state from campaign where id = $1 for update';

const MOVE_CAMPAIGN = `
update campaign set state = 'canceling', code = $4, detail = $5, state_at = $2, state_by = $3 where id = $1`;

const MOVE_OCCURRENCES = `
update occurrence set state = 'canceling', code = $3, state_at = $2
 where campaign = $1 and state in ('planned', 'running')`;

// One not planned yet is born canceled and remembered by its row: planning leaves it out.
const MOVE_OCCURRENCE = `
insert into occurrence as o (campaign, occurrence, revision, state, code, state_at)
select id, $4, revision, 'canceled', $3, $2 from campaign where id = $1
on conflict on constraint occurrence_pkey do update set state = 'canceling', code = excluded.code, state_at = excluded.state_at
 where o.state in ('planned', 'running')
returning o.state`;

const READ_OCCURRENCE = 'select state from occurrence where campaign = $1 and occurrence = $2';

/** An occurrence whose sends have all ended before closes too. */
const TOUCH = 'insert into campaign_touched (campaign) values ($1)';

const MOVES = "s.state in ('planned', 'claimed', 'held', 'reserved', 'scheduled')";

// Index send_campaign. The rows are locked in order of id, as every batched statement on send does, so that two of
// them wait and never deadlock. One statement for all states: a send that the dispatcher moves from sending to
// reserved meanwhile is judged by its newest row. A claimed send loses its token: its worker can no longer fire it.
const MOVE_SENDS = `
with open_send as materialized (
  select id from send
   where campaign = $1 and ($6::text is null or occurrence = $6)
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
 * Asks for the cancel of a campaign or of one occurrence, after which the campaign goes on with the others: what has not left is canceled, what the push service holds goes to `canceling`,
 * what is on the wire or uncertain keeps its state with the goal raised to `canceled`. The campaign's row stays locked
 * until the caller commits; planning and retries lock it too, so no send is born beside the cancel.
 */
export async function askCancel(sql: Sql, ask: CancelAsk): Promise<CancelVerdict> {
  const [found] = await rowsOf<{ state: string }>(sql, LOCK_CAMPAIGN, [ask.campaign]);
  if (found === undefined) return { kind: 'closed' };
  switch (found.state) {
    case 'canceling':
      return { kind: 'already' };
    case 'canceled':
      return { kind: ask.occurrence === undefined ? 'closed' : 'already' };
    case 'completed':
    case 'expired':
    case 'rejected':
      return { kind: 'closed' };
  }
  const { campaign, occurrence, now, by, code, detail = null } = ask;
  if (occurrence === undefined) {
    await rowsOf(sql, MOVE_CAMPAIGN, [campaign, now, by, code, detail]);
    await rowsOf(sql, MOVE_OCCURRENCES, [campaign, now, code]);
  } else {
    const moved = await moveOccurrence(sql, campaign, occurrence, now, code);
    if (moved !== undefined) return moved;
  }
  await rowsOf(sql, MOVE_SENDS, [campaign, now, by, code, detail, occurrence ?? null]);
  await rowsOf(sql, NOTIFY);
  return { kind: 'asked' };
}

/** The verdict where there are no sends to move. */
async function moveOccurrence(
  sql: Sql,
  campaign: string,
  occurrence: string,
  now: Date,
  code: string,
): Promise<CancelVerdict | undefined> {
  const [moved] = await rowsOf<{ state: string }>(sql, MOVE_OCCURRENCE, [campaign, now, code, occurrence]);
  if (moved?.state === 'canceled') return { kind: 'asked' };
  if (moved === undefined) {
    const [standing] = await rowsOf<{ state: string }>(sql, READ_OCCURRENCE, [campaign, occurrence]);
    const before = standing?.state === 'canceling' || standing?.state === 'canceled';
    return { kind: before ? 'already' : 'closed' };
  }
  await rowsOf(sql, TOUCH, [campaign]);
  return undefined;
}
