// `fire`: claimed ▶ sending, the attempt's row with it, committed before the first byte leaves. Only sends that go on
// the wire at once pass here, so only they can become uncertain.
import type { MessageTarget } from '../../push-contract/messages.js';
import type { MessageType } from '../../push-contract/statuses.js';
import { rowsOf, type Sql } from '../../platform/database.js';
import type { Mode, ModeRule } from '../decide/mode.js';
import type { Policy } from '../decide/policy.js';
import type { EpochMs } from '../decide/ports.js';

export interface FireOrder {
  readonly id: string;
  readonly revision: number;
  /** The claim's. */
  readonly token: string;
  /** Chosen by the second look. */
  readonly mode: Mode;
  readonly modeRule: ModeRule;
  readonly dueAt: EpochMs | null;
}

export interface FiredSend {
  readonly id: string;
  readonly attempt: number;
  readonly recipients: string[] | null;
  readonly target: MessageTarget;
}

// Fenced by token and revision: what a cancel, a pause or a revision took away is not fired. A project that was stopped
// meanwhile fires nothing more either. state || '': only the primary key shall fit. The planner would rather read every
// claimed or sending row by the small partial index, once for each of ours.
const FIRE = `
with given as (
  select * from unnest($1::uuid[], $2::uuid[], $3::int[], $4::text[], $5::text[], $6::float8[])
    as g(id, token, revision, mode, mode_rule, due_ms)),
mine as materialized (
  select s.id from given g join send s on s.id = g.id join project p on p.service_id = s.service_id
   where s.state || '' = 'claimed' and s.claim_token = g.token and s.revision = g.revision
     and (p.resting_until is null or p.resting_until <= $7)
   order by s.id for no key update of s),
fired as (
  update send s set state = 'sending', history = s.history + 1, code = null, detail = null, state_at = $7, state_by = $8,
         mode = g.mode, mode_rule = g.mode_rule, due_at = coalesce(to_timestamp(g.due_ms / 1000), s.due_at),
         attempts = s.attempts + 1, handed_off_at = $7,
         lease_until = clock_timestamp() + $9::int * interval '1 millisecond'
    from given g join mine on mine.id = g.id
   where s.id = g.id and s.state || '' = 'claimed' and s.claim_token = g.token
  returning s.id, s.attempts, s.recipients, s.campaign, s.occurrence, s.cell),
noted as (
  insert into attempt (send, attempt, kind, started_at) select id, attempts, 'send', $7 from fired)
select f.id, f.attempts as attempt, f.recipients, c.target
  from fired f join cell c on c.campaign = f.campaign and c.occurrence = f.occurrence and c.cell = f.cell`;

export interface FireContext {
  readonly now: EpochMs;
  readonly by: string;
  /** Longer than a call may take and its answer may wait to be recorded. */
  readonly leaseMs: number;
}

/** Returns those that are on their way now; whichever is missing must not be sent. */
export async function fireSends(
  sql: Sql,
  orders: readonly FireOrder[],
  context: FireContext,
): Promise<FiredSend[]> {
  return rowsOf<FiredSend>(sql, FIRE, [
    orders.map((order) => order.id),
    orders.map((order) => order.token),
    orders.map((order) => order.revision),
    orders.map((order) => order.mode),
    orders.map((order) => order.modeRule),
    orders.map((order) => order.dueAt),
    new Date(context.now),
    context.by,
    context.leaseMs,
  ]);
}

/** What the requests of a revision share, and what the second look judges by. */
export interface RevisionFacts {
  readonly campaign: string;
  readonly revision: number;
  readonly request: Readonly<Record<string, unknown>>;
  readonly messageType: MessageType;
  readonly policy: Policy;
  /** Of a standing message: when it ends. */
  readonly until: EpochMs | null;
  /** Of the request and policy as text. */
  readonly bytes: number;
}

const REVISIONS = `
select r.campaign, r.revision, r.request, coalesce(r.request->>'messageType', 'NOTIF') as "messageType",
       r.data->'policy' as policy, (r.data->'delivery'->>'until')::float8 as until,
       octet_length(r.request::text) + octet_length((r.data->'policy')::text) as bytes
  from unnest($1::uuid[], $2::int[]) as g(campaign, revision)
  join revision r on r.campaign = g.campaign and r.revision = g.revision`;

/** Never reads the audience, which may be a megabyte. */
export async function revisionFacts(
  sql: Sql,
  wanted: readonly { readonly campaign: string; readonly revision: number }[],
): Promise<RevisionFacts[]> {
  return rowsOf<RevisionFacts>(sql, REVISIONS, [
    wanted.map((one) => one.campaign),
    wanted.map((one) => one.revision),
  ]);
}
