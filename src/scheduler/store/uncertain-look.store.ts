// Uncertain sends of which the push service named a requestId: what is due to be asked about them. What was found is
// written by look.store.ts, as of every look.
import { rowsOf, type Sql } from '../../platform/database.js';
import type { Mode } from '../decide/mode.js';
import type { EpochMs } from '../decide/ports.js';

export interface UncertainLook {
  readonly id: string;
  readonly serviceId: string;
  readonly requestId: string;
  readonly mode: Mode;
  readonly detail: string | null;
  readonly looks: number;
  readonly history: number;
}

export interface UncertainLookAsk {
  readonly now: EpochMs;
  /** Between two times since when they stand uncertain the first look falls. */
  readonly since: { readonly from: EpochMs; readonly to: EpochMs };
  readonly leaseMs: number;
  /** Of each project. */
  readonly limit: number;
}

const FIELDS = 's.id, s.service_id, s.request_id, s.mode, s.detail, s.looks, s.history';
const KNOWN = "s.service_id = p.service_id and s.state = 'uncertain' and s.request_id is not null";

// Index send_known, in two scans: what was never asked about, and what is due again. Who has a row of look_claim asks.
const CLAIM = `
with due as materialized (
  select d.* from project p cross join lateral (
    select * from (
      (select ${FIELDS} from send s
        where ${KNOWN} and s.next_look_at is null and s.state_at > $2 and s.state_at <= $3 limit $5)
      union all
      (select ${FIELDS} from send s where ${KNOWN} and s.next_look_at <= $1 order by s.next_look_at limit $5)) known
     where not exists (select from look_claim k where k.send = known.id and k.lease_until >= clock_timestamp())
     limit $5) d
   where p.resting_until is null or p.resting_until <= $1),
claimed as (
  insert into look_claim as k (send, lease_until)
  select id, clock_timestamp() + $4::int * interval '1 millisecond' from due order by id
  on conflict (send) do update set lease_until = excluded.lease_until where k.lease_until < clock_timestamp()
  returning send)
select d.id, d.service_id as "serviceId", d.request_id as "requestId", d.mode, d.detail, d.looks, d.history
  from claimed k join due d on d.id = k.send`;

export async function claimUncertainLooks(sql: Sql, ask: UncertainLookAsk): Promise<UncertainLook[]> {
  const { now, since, leaseMs, limit } = ask;
  return rowsOf<UncertainLook>(sql, CLAIM, [
    new Date(now),
    new Date(since.from),
    new Date(since.to),
    leaseMs,
    limit,
  ]);
}
