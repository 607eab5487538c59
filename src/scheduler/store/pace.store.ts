// The one bucket of tokens that all replicas share for a project's calls. A replica takes a helping ahead of its calls;
// the row's lock lasts one statement.
import { rowsOf, type Sql } from '../../platform/database.js';

export interface TokenWish {
  readonly serviceId: string;
  readonly wanted: number;
}

export interface TokenGrant {
  readonly serviceId: string;
  readonly granted: number;
  /** Calls a second now. */
  readonly rate: number;
  /** Real milliseconds until the next token, where none was left. */
  readonly waitMs: number;
}

/** A halved rate is whole again this many seconds later. */
const CLIMB_SECONDS = 60;

// Three steps over the rows of the wish, in order of id: the rate as it has climbed, the tokens as they have gathered,
// and what of them is given. A clock that steps back gathers nothing.
const TAKE = `
with wish as (select * from unnest($1::text[], $2::int[]) as w(service_id, wanted)),
born as (
  insert into project_pace (service_id, rate, tokens, at)
  select p.service_id, p.rate_per_second, greatest(1, p.rate_per_second / 4.0), clock_timestamp()
    from project p join wish w on w.service_id = p.service_id
   order by 1 on conflict do nothing returning service_id),
held as materialized (
  select a.service_id, a.rate, a.tokens, p.rate_per_second as most, w.wanted, clock_timestamp() as now,
         greatest(0, extract(epoch from clock_timestamp() - a.at))::float8 as passed
    from project_pace a join project p on p.service_id = a.service_id join wish w on w.service_id = a.service_id
   order by a.service_id for no key update of a),
climbed as (
  select *, least(most, rate + most * passed / ${CLIMB_SECONDS}) as new_rate from held),
filled as (
  select f.*, least(greatest(1, f.new_rate / 4), f.tokens + f.passed * f.new_rate) as has from climbed f),
given as (
  select f.*, least(f.wanted, floor(f.has)) as granted from filled f)
update project_pace a set rate = g.new_rate, tokens = g.has - g.granted, at = g.now
  from given g where a.service_id = g.service_id
returning a.service_id as "serviceId", g.granted::int as granted, a.rate,
          case when a.tokens >= 1 then 0 else ceil((1 - a.tokens) / a.rate * 1000) end::float8 as "waitMs"`;

/** A project seen for the first time is given nothing yet and asks again at once: its row was just made. */
export async function takeTokens(sql: Sql, wishes: readonly TokenWish[]): Promise<TokenGrant[]> {
  const columns = [wishes.map((wish) => wish.serviceId), wishes.map((wish) => wish.wanted)];
  const granted = await rowsOf<TokenGrant>(sql, TAKE, columns);
  return granted.length === wishes.length ? granted : rowsOf<TokenGrant>(sql, TAKE, columns);
}

/**
 * A 429: half the rate, once a second at most, for many calls under way hear the same. Returns the rate now, or
 * undefined where it was halved a moment ago.
 */
export async function slowDown(sql: Sql, serviceId: string): Promise<number | undefined> {
  const [row] = await rowsOf<{ rate: number }>(
    sql,
    `update project_pace set rate = greatest(1, rate / 2), tokens = 0, slowed_at = clock_timestamp()
      where service_id = $1 and (slowed_at is null or slowed_at < clock_timestamp() - interval '1 second')
     returning rate`,
    [serviceId],
  );
  return row?.rate;
}
