// The follower's claims and what its looks found: due looks of every project in turn, and their outcome for a whole
// batch in one statement. A look is a GET (or a cancel, which may be repeated), so a lease that ends early costs a
// request and nothing else.
import { rowsOf, type Sql } from '../../platform/database.js';
import type { Mode } from '../decide/mode.js';
import type { EpochMs } from '../decide/ports.js';
import type { SendGoal, SendState } from '../decide/send.js';

export const FOLLOWED_STATES = [
  'accepted',
  'reserved',
  'scheduled',
  'canceling',
] as const satisfies readonly SendState[];
export type FollowedState = (typeof FOLLOWED_STATES)[number];

export interface DueLook {
  readonly id: string;
  readonly serviceId: string;
  readonly state: FollowedState;
  readonly goal: SendGoal | null;
  readonly mode: Mode;
  readonly scheduleCode: string | null;
  readonly requestId: string | null;
  readonly dueAt: EpochMs | null;
  readonly handedOffAt: EpochMs;
  /** Since when it stands in its state: of an accepted send, when the push service began to send. */
  readonly stateAt: EpochMs;
  readonly looks: number;
  /** Changes of state so far: what a look found counts only while this stands. */
  readonly history: number;
  /** Of a standing message: when we end it. */
  readonly until: EpochMs | null;
}

// Index send_look, (service_id, next_look_at, id): each project is probed on its own, so one that does not answer keeps
// nobody else's results waiting. Who has a row of look_claim asks; two replicas that want the same meet at its key, in
// order of id. A project that rests is let be, but for one stopped by hand: what it has sent is followed, and cancelled.
const CLAIM = `
with room as materialized (
  select p.service_id, coalesce(r.room, $5::int) as room
    from project p left join unnest($6::text[], $7::int[]) as r(service_id, room) on r.service_id = p.service_id
   where coalesce(r.room, $5::int) > 0
     and (p.resting_until is null or p.resting_until <= $1 or p.resting_code = 'STOPPED')
   order by hashtextextended(p.service_id, $8)),
due as materialized (
  select d.* from room cross join lateral (
    select s.id, s.service_id, s.state, s.goal, s.history, s.mode, s.schedule_code, s.request_id, s.due_at, s.handed_off_at,
           s.created_at, s.state_at, s.looks, s.next_look_at, s.campaign, s.revision
      from send s
     where s.state = any($2::text[]) and s.state in ('accepted', 'reserved', 'scheduled', 'canceling')
       and s.service_id = room.service_id and s.next_look_at <= $1
       and not exists (select from look_claim k where k.send = s.id and k.lease_until >= clock_timestamp())
     order by s.next_look_at, s.id limit room.room) d
   limit $4),
claimed as (
  insert into look_claim as k (send, lease_until)
  select id, clock_timestamp() + $3::int * interval '1 millisecond' from due order by id
  on conflict (send) do update set lease_until = excluded.lease_until where k.lease_until < clock_timestamp()
  returning send)
select d.id, d.service_id as "serviceId", d.state, d.goal, d.history, d.mode, d.schedule_code as "scheduleCode",
       d.request_id as "requestId", (extract(epoch from d.due_at) * 1000)::float8 as "dueAt",
       (extract(epoch from coalesce(d.handed_off_at, d.created_at)) * 1000)::float8 as "handedOffAt",
       (extract(epoch from d.state_at) * 1000)::float8 as "stateAt", d.looks,
       case when d.mode = 'scheduled' then (r.data->'delivery'->>'until')::float8 end as until
  from claimed k join due d on d.id = k.send
  left join revision r on d.mode = 'scheduled' and r.campaign = d.campaign and r.revision = d.revision
 order by d.next_look_at, d.id`;

export interface LookAsk {
  readonly now: EpochMs;
  readonly states: readonly FollowedState[];
  readonly leaseMs: number;
  readonly limit: number;
  /** How many more of each project may be asked about at once; any other project: `room`. */
  readonly rooms: ReadonlyMap<string, number>;
  readonly room: number;
  readonly round: number;
}

export async function claimLooks(sql: Sql, ask: LookAsk): Promise<DueLook[]> {
  return rowsOf<DueLook>(sql, CLAIM, [
    new Date(ask.now),
    ask.states,
    ask.leaseMs,
    ask.limit,
    ask.room,
    [...ask.rooms.keys()],
    [...ask.rooms.values()],
    ask.round,
  ]);
}

/** Gives claims back unasked: the next claim may take them. */
export async function releaseLooks(sql: Sql, ids: readonly string[]): Promise<void> {
  await rowsOf(sql, 'delete from look_claim where send = any($1::uuid[])', [ids]);
}

/** Claims that a dead process left, of sends that ended meanwhile: nothing else would find them again. */
export async function forgetLostLooks(sql: Sql): Promise<void> {
  await rowsOf(sql, "delete from look_claim where lease_until < clock_timestamp() - interval '1 hour'");
}

export interface LookRow {
  readonly id: string;
  /** The send's when it was claimed. */
  readonly history: number;
  readonly from: FollowedState;
  /** Where it goes; `goal`: what the cancel, pause or revision asked for; null: it stays. */
  readonly to: SendState | 'goal' | null;
  readonly code: string | null;
  readonly detail: string | null;
  readonly at: EpochMs;
  readonly nextLookAt: EpochMs | null;
  readonly looks: number;
  readonly gatewayStatus: string | null;
  readonly targetCount: number | null;
  readonly sentCount: number | null;
  readonly completeTime: EpochMs | null;
  /** A cancel came too late: nothing is wanted of it any more. */
  readonly dropsGoal: boolean;
  /** A new goal, where the follower itself ends a standing message. */
  readonly goal: SendGoal | null;
  /** The cancel's call, where one was made. */
  readonly call: CancelCallRow | null;
}

export interface CancelCallRow {
  readonly startedAt: EpochMs;
  readonly requestSent: boolean;
  readonly httpStatus: number | null;
  readonly errorCode: string | null;
  readonly answer: string | null;
  readonly outcome: string;
}

const RECORD = `
with given as (
  select * from unnest($1::uuid[], $2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $7::float8[], $8::float8[],
                       $9::int[], $10::text[], $11::int[], $12::int[], $13::float8[], $14::boolean[], $15::text[],
                       $16::float8[], $17::boolean[], $18::int[], $19::text[], $20::text[], $21::text[])
    as g(id, history, from_state, to_state, code, detail, at_ms, look_ms, looks, gateway_status, target_count, sent_count,
         complete_ms, drops_goal, goal, call_ms, request_sent, http_status, error_code, answer, outcome)),
mine as materialized (
  select s.id from given g join send s on s.id = g.id
   where s.history = g.history and s.state || '' = g.from_state order by s.id for no key update of s),
freed as (delete from look_claim k using given g where k.send = g.id),
moved as (
  update send s set
         state = case g.to_state when 'goal' then coalesce(s.goal, 'canceled') else coalesce(g.to_state, s.state) end,
         history = s.history + case when g.to_state is null then 0 else 1 end,
         -- Why it is being canceled stays its reason, whatever the push service said on the way.
         code = case when coalesce(g.to_state, 'goal') = 'goal' then s.code else g.code end,
         detail = case when s.state = 'canceling' and coalesce(g.to_state, 'goal') = 'goal' then coalesce(g.detail, s.detail)
                       else g.detail end,
         state_at = case when g.to_state is null then s.state_at else to_timestamp(g.at_ms / 1000) end,
         state_by = case when g.to_state is null then s.state_by else $22 end,
         next_look_at = to_timestamp(g.look_ms / 1000), looks = g.looks,
         gateway_status = coalesce(g.gateway_status, s.gateway_status),
         target_count = coalesce(g.target_count, s.target_count), sent_count = coalesce(g.sent_count, s.sent_count),
         complete_time = coalesce(to_timestamp(g.complete_ms / 1000), s.complete_time),
         goal = case when g.drops_goal then null else coalesce(g.goal, s.goal) end,
         attempts = s.attempts + case when g.call_ms is null then 0 else 1 end
    from given g join mine on mine.id = g.id
   where s.id = g.id and s.history = g.history and s.state || '' = g.from_state
  returning s.id, s.attempts, s.mode, s.target_count, s.sent_count),
kept as (
  insert into standing_count (send, day, target_count, sent_count, at)
  select m.id, (to_timestamp(g.at_ms / 1000) at time zone 'UTC')::date, m.target_count, m.sent_count, to_timestamp(g.at_ms / 1000)
    from moved m join given g on g.id = m.id
   where m.mode = 'scheduled' and (g.target_count is not null or g.sent_count is not null)
  on conflict (send, day) do update
     set target_count = excluded.target_count, sent_count = excluded.sent_count, at = excluded.at),
noted as (
  insert into attempt (send, attempt, kind, started_at, ended_at, request_sent, http_status, error_code, answer, outcome)
  select m.id, m.attempts, 'cancel', to_timestamp(g.call_ms / 1000), to_timestamp(g.at_ms / 1000), g.request_sent,
         g.http_status, g.error_code, g.answer, g.outcome
    from moved m join given g on g.id = m.id where g.call_ms is not null)
select id from moved`;

/** How many were written; the others had been moved by somebody else meanwhile. */
export async function recordLooks(sql: Sql, rows: readonly LookRow[], by: string): Promise<number> {
  const column = <Value>(pick: (row: LookRow) => Value): Value[] => rows.map(pick);
  const written = await rowsOf(sql, RECORD, [
    column((row) => row.id),
    column((row) => row.history),
    column((row) => row.from),
    column((row) => row.to),
    column((row) => row.code),
    column((row) => row.detail),
    column((row) => row.at),
    column((row) => row.nextLookAt),
    column((row) => row.looks),
    column((row) => row.gatewayStatus),
    column((row) => row.targetCount),
    column((row) => row.sentCount),
    column((row) => row.completeTime),
    column((row) => row.dropsGoal),
    column((row) => row.goal),
    column((row) => row.call?.startedAt ?? null),
    column((row) => row.call?.requestSent ?? null),
    column((row) => row.call?.httpStatus ?? null),
    column((row) => row.call?.errorCode ?? null),
    column((row) => row.call?.answer ?? null),
    column((row) => row.call?.outcome ?? null),
    by,
  ]);
  return written.length;
}
