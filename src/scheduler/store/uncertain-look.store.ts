// Uncertain sends of which the push service named a requestId: what is due to be asked about them. What was found is
// written by look.store.ts, as of every look.
import { rowsOf, type Sql } from '../../platform/database.js';
import { prepared } from '../../platform/pooled-database.js';
import type { Mode } from '../decide/mode.js';
import type { EpochMs } from '../decide/ports.js';

export interface UncertainLook {
  readonly id: string;
  readonly serviceId: string;
  readonly requestId: string;
  readonly mode: Mode;
  readonly detail: string | null;
  readonly stateAt: EpochMs;
  readonly looks: number;
  readonly changes: number;
}

export interface UncertainLookAsk {
  readonly now: EpochMs;
  readonly leaseMs: number;
  /** Of each project. */
  readonly limit: number;
}

// Index send_work. Who has a row of look_claim asks.
const CLAIM = prepared(`
with due as materialized (
  select d.* from project p cross join lateral (
    select s.id, s.service_id, s.request_id, s.mode, s.detail, s.state_at, s.looks, s.changes from send s
     where s.service_id = p.service_id and s.work = 'u' and s.next_at <= $1
       and not exists (select from look_claim k where k.send = s.id and k.lease_until >= clock_timestamp())
     order by s.next_at, s.chunk, s.id limit $3) d
   where p.resting_until is null or p.resting_until <= $1),
claimed as (
  insert into look_claim as k (send, lease_until)
  select id, clock_timestamp() + $2::int * interval '1 millisecond' from due order by id
  on conflict (send) do update set lease_until = excluded.lease_until where k.lease_until < clock_timestamp()
  returning send)
select d.id, d.service_id as "serviceId", d.request_id as "requestId", d.mode, d.detail,
       (extract(epoch from d.state_at) * 1000)::float8 as "stateAt", d.looks, d.changes
  from claimed k join due d on d.id = k.send`);

export async function claimUncertainLooks(sql: Sql, ask: UncertainLookAsk): Promise<UncertainLook[]> {
  return rowsOf<UncertainLook>(sql, CLAIM, [new Date(ask.now), ask.leaseMs, ask.limit]);
}
