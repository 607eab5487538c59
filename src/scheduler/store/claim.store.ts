// Taking due sends for this process, giving back what it will not fire, and finding what a dead process left. Leases
// end by the database's clock (docs/decisions/0002); a send is acted on only with the token it was claimed with.
import { rowsOf, type Sql } from '../../platform/database.js';
import { prepared } from '../../platform/pooled-database.js';
import type { Mode, ModeRule } from '../decide/mode.js';
import { uncertainWaitMs } from '../decide/next-look.js';
import type { EpochMs } from '../decide/ports.js';

/** What is needed to decide about a claimed send; its ids and bodies are read when it is fired. */
export interface ClaimedSend {
  readonly id: string;
  readonly serviceId: string;
  readonly campaign: string;
  readonly revision: number;
  readonly chunk: number;
  readonly mode: Mode;
  readonly modeRule: ModeRule;
  readonly scheduleCode: string | null;
  readonly intendedAt: EpochMs | null;
  readonly dueAt: EpochMs | null;
  readonly handOffAt: EpochMs;
  readonly attempts: number;
  /** It is a retry by hand of another send. */
  readonly byHand: boolean;
  readonly zone: string;
}

export interface ClaimAsk {
  readonly now: EpochMs;
  /** Sends handed off up to here are taken: now and the look-ahead. */
  readonly upTo: EpochMs;
  readonly by: string;
  readonly token: string;
  readonly leaseMs: number;
  readonly limit: number;
  /** How many more each project may have claimed here; any other project: `room`. */
  readonly rooms: ReadonlyMap<string, number>;
  readonly room: number;
  /** Draws which project is served first, by weight, where `limit` cannot serve all. */
  readonly round: number;
}

// Index send_work, (service_id, work, next_at, chunk, id): each project is probed on its own, so a million
// late sends of one cost the others nothing; within a project the earliest first, and of one instant the first chunk
// of every cell before anybody's second. SKIP LOCKED: replicas pass each other's rows, nobody waits.
// What is late has half of the room to itself at least, and what is due now all of it: a campaign with a million late
// sends keeps no other's due ones waiting, nor these it. The newest of what is late come too, where the oldest are all
// of other campaigns: whose sends became late behind that million has its turns as well.
// sql/scheduler/functions/claim_sends.sql: planned once, 3 ms a claim less.
const CLAIM = prepared(`
select id, service_id as "serviceId", campaign, revision, chunk, mode, mode_rule as "modeRule",
       schedule_code as "scheduleCode", intended_ms as "intendedAt", due_ms as "dueAt", hand_off_ms as "handOffAt",
       attempts, by_hand as "byHand", zone
  from claim_sends($1, $2, $3, $4, $5, $6::int * interval '1 millisecond', $7, $8, $9, $10)`);

/** Later than this is late. */
const FRESH_MS = 1_000;

export async function claimDue(sql: Sql, ask: ClaimAsk): Promise<ClaimedSend[]> {
  return rowsOf<ClaimedSend>(sql, CLAIM, [
    new Date(ask.now),
    new Date(ask.upTo),
    new Date(ask.now - FRESH_MS),
    ask.by,
    ask.token,
    ask.leaseMs,
    ask.limit,
    JSON.stringify(Object.fromEntries(ask.rooms)),
    ask.room,
    ask.round,
  ]);
}

// Index send_lease: what is claimed is little, whoever has it.
const RELEASE = `
update send s set state = 'planned', changes = s.changes + 1, code = null, detail = null, state_at = $2, state_by = $3,
       claim_token = null, lease_until = null
 where s.state = 'claimed' and s.claim_token = any($1::uuid[])`;

/** Puts down all that was claimed with these tokens and not fired. */
export async function releaseClaims(
  sql: Sql,
  tokens: readonly string[],
  now: EpochMs,
  by: string,
): Promise<void> {
  await rowsOf(sql, RELEASE, [tokens, new Date(now), by]);
}

/** How a claimed send is put down without having been fired. */
export interface Settlement {
  readonly id: string;
  /** The claim's. */
  readonly token: string;
  readonly state: 'planned' | 'expired' | 'skipped';
  readonly code: string | null;
  readonly detail: string | null;
  /** Of a send that goes back to planned: when and how it is to leave now; null keeps what stands. */
  readonly handOffAt: EpochMs | null;
  readonly mode: Mode | null;
  readonly modeRule: ModeRule | null;
  readonly dueAt: EpochMs | null;
}

// By the primary key alone (see fire.store.ts).
const SETTLE = `
with given as (
  select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::float8[], $7::text[], $8::text[], $9::float8[])
    as g(id, token, state, code, detail, next_ms, mode, mode_rule, due_ms)),
mine as materialized (
  select s.id from given g join send s on s.id = g.id
   where s.state || '' = 'claimed' and s.claim_token = g.token order by s.id for no key update of s)
update send s set state = g.state, changes = s.changes + 1, code = g.code, detail = g.detail, state_at = $10, state_by = $11,
       claim_token = null, lease_until = null,
       next_at = case g.state when 'planned' then coalesce(to_timestamp(g.next_ms / 1000), s.next_at) end,
       mode = coalesce(g.mode, s.mode), mode_rule = coalesce(g.mode_rule, s.mode_rule),
       due_at = coalesce(to_timestamp(g.due_ms / 1000), s.due_at)
  from given g join mine on mine.id = g.id
 where s.id = g.id and s.state || '' = 'claimed' and s.claim_token = g.token
returning s.id`;

/** Puts claimed sends down; those whose token is no longer ours are left to whoever has them. Returns how many. */
export async function settleClaimed(
  sql: Sql,
  settlements: readonly Settlement[],
  now: EpochMs,
  by: string,
): Promise<number> {
  const column = <Value>(pick: (one: Settlement) => Value): Value[] => settlements.map(pick);
  const rows = await rowsOf(sql, SETTLE, [
    column((one) => one.id),
    column((one) => one.token),
    column((one) => one.state),
    column((one) => one.code),
    column((one) => one.detail),
    column((one) => one.handOffAt),
    column((one) => one.mode),
    column((one) => one.modeRule),
    column((one) => one.dueAt),
    new Date(now),
    by,
  ]);
  return rows.length;
}

// Index send_lease. A claimed send's lease over: nothing had left, the next claim takes it. A sending one's: its
// process died or hangs under it and nobody knows; it keeps its token, so that an answer that comes after all finds it.
const RECOVER = `
with over as materialized (
  select id from send where state in ('claimed', 'sending') and lease_until < clock_timestamp()
   order by id limit $3 for no key update skip locked)
update send s set
       state = case s.state when 'claimed' then 'planned' else 'uncertain' end, changes = s.changes + 1,
       code = case s.state when 'claimed' then 'LEASE_OVER' else 'LOST_ANSWER' end,
       detail = null, state_at = $1, state_by = $2, lease_until = null,
       claim_token = case s.state when 'claimed' then null else s.claim_token end,
       next_at = case s.state when 'claimed' then s.next_at else $1 + $4::int * interval '1 millisecond' end
  from over where s.id = over.id and s.state in ('claimed', 'sending') and s.lease_until < clock_timestamp()
returning s.id, s.campaign, s.state`;

export interface Recovered {
  readonly id: string;
  readonly campaign: string;
  readonly state: 'planned' | 'uncertain';
}

export async function recoverLost(sql: Sql, now: EpochMs, by: string, limit: number): Promise<Recovered[]> {
  return rowsOf<Recovered>(sql, RECOVER, [new Date(now), by, limit, uncertainWaitMs(null)]);
}
