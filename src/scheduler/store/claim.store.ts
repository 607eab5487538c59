// Taking due sends for this process, giving back what it will not fire, and finding what a dead process left. Leases
// end by the database's clock (docs/decisions/0002); a send is acted on only with the token it was claimed with.
import { rowsOf, type Sql } from '../../platform/database.js';
import type { Mode, ModeRule } from '../decide/mode.js';
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

// Index send_due, (service_id, hand_off_at, chunk, id) where planned: each project is probed on its own, so a million
// late sends of one cost the others nothing; within a project the earliest first, and of one instant the first chunk
// of every cell before anybody's second. SKIP LOCKED: replicas pass each other's rows, nobody waits.
// What is late has half of the room to itself at least, and what is due now all of it: a campaign with a million late
// sends keeps no other's due ones waiting, nor these it.
const CLAIM = `
with room as materialized (
  select p.service_id, coalesce(r.room, $7::int) as room
    from project p left join unnest($8::text[], $9::int[]) as r(service_id, room) on r.service_id = p.service_id
   where (p.resting_until is null or p.resting_until <= $1) and coalesce(r.room, $7::int) > 0
   -- A draw each round: a project of weight w comes before another of weight 1 in w of w + 1 rounds.
   order by -ln(((hashtextextended(p.service_id, $10) & 9007199254740991) + 0.5) / 9007199254740992) / p.weight),
fresh as materialized (
  select d.id, room.service_id from room cross join lateral (
    select s.id from send s
     where s.state = 'planned' and s.service_id = room.service_id and s.hand_off_at > $11 and s.hand_off_at <= $2
     order by s.hand_off_at, s.chunk, s.id limit room.room for no key update skip locked) d
   limit $6),
late as materialized (
  select d.id from room cross join lateral (
    select s.id from send s
     where s.state = 'planned' and s.service_id = room.service_id and s.hand_off_at <= $11
     order by s.hand_off_at, s.chunk, s.id
     limit greatest((room.room + 1) / 2,
                    room.room - (select count(*) from fresh f where f.service_id = room.service_id))
       for no key update skip locked) d
   limit greatest(($6::int + 1) / 2, $6 - (select count(*) from fresh))),
due as materialized (select id from fresh union all select id from late),
claimed as (
  update send s set state = 'claimed', history = s.history + 1, code = null, detail = null, state_at = $1, state_by = $3,
         claim_token = $4, lease_until = clock_timestamp() + $5::int * interval '1 millisecond'
    from due where s.id = due.id and s.state = 'planned'
  returning s.*)
select s.id, s.service_id as "serviceId", s.campaign, s.revision, s.chunk, s.mode, s.mode_rule as "modeRule",
       s.schedule_code as "scheduleCode", (extract(epoch from s.intended_at) * 1000)::float8 as "intendedAt",
       (extract(epoch from s.due_at) * 1000)::float8 as "dueAt",
       (extract(epoch from s.hand_off_at) * 1000)::float8 as "handOffAt", s.attempts,
       s.retry_of is not null as "byHand", c.zone
  from claimed s join cell c on c.campaign = s.campaign and c.occurrence = s.occurrence and c.cell = s.cell`;

/** Later than this is late. */
const FRESH_MS = 1_000;

export async function claimDue(sql: Sql, ask: ClaimAsk): Promise<ClaimedSend[]> {
  return rowsOf<ClaimedSend>(sql, CLAIM, [
    new Date(ask.now),
    new Date(ask.upTo),
    ask.by,
    ask.token,
    ask.leaseMs,
    ask.limit,
    ask.room,
    [...ask.rooms.keys()],
    [...ask.rooms.values()],
    ask.round,
    new Date(ask.now - FRESH_MS),
  ]);
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
    as g(id, token, state, code, detail, hand_off_ms, mode, mode_rule, due_ms)),
mine as materialized (
  select s.id from given g join send s on s.id = g.id
   where s.state || '' = 'claimed' and s.claim_token = g.token order by s.id for no key update of s)
update send s set state = g.state, history = s.history + 1, code = g.code, detail = g.detail, state_at = $10, state_by = $11,
       claim_token = null, lease_until = null,
       hand_off_at = coalesce(to_timestamp(g.hand_off_ms / 1000), s.hand_off_at),
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
       state = case s.state when 'claimed' then 'planned' else 'uncertain' end, history = s.history + 1,
       code = case s.state when 'claimed' then 'LEASE_OVER' else 'LOST_ANSWER' end,
       detail = null, state_at = $1, state_by = $2, lease_until = null,
       claim_token = case s.state when 'claimed' then null else s.claim_token end
  from over where s.id = over.id and s.state in ('claimed', 'sending') and s.lease_until < clock_timestamp()
returning s.id, s.campaign, s.state`;

export interface Recovered {
  readonly id: string;
  readonly campaign: string;
  readonly state: 'planned' | 'uncertain';
}

export async function recoverLost(sql: Sql, now: EpochMs, by: string, limit: number): Promise<Recovered[]> {
  return rowsOf<Recovered>(sql, RECOVER, [new Date(now), by, limit]);
}
