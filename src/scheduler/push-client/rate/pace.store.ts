// The token bucket of a project, which all replicas share. A replica takes tokens before its calls; one statement at a time has the
// row's lock.
import type { Sql } from '../../../platform/database/database.js';
import { POLLS_SHARE } from './calls-in-flight.js';

export interface TokenWish {
  readonly serviceId: string;
  readonly wanted: number;
}

export interface TokenGrant {
  readonly serviceId: string;
  readonly granted: number;
  /** Calls a second now. */
  readonly rate: number;
  /** Real milliseconds until the next token, if none was left. */
  readonly waitMs: number;
}

/** A rate that was halved takes this many seconds to climb from 0 to the project's rate. */
const CLIMB_SECONDS = 60;
/** SQL: calls a second now, from a row `a` of project_pace and its project `p`. */
export const CLIMBED_RATE = `least(p.rate_per_second, a.rate + p.rate_per_second
  * greatest(0, extract(epoch from clock_timestamp() - a.at))::float8 / ${CLIMB_SECONDS})`;

/**
 * Sends come first: polls leave half of the bucket to them, and have only their reserved share while sends lack tokens. `spare` is
 * for calls that can wait for any time: it leaves three quarters of the bucket, and gets nothing while sends or polls lack tokens.
 */
export type TokenUse = 'sends' | 'polls' | 'spare';

/**
 * Of the polls' share, tokens of at most this many seconds gather, or one token; others are lost. Polls ask for several tokens at a
 * time, so it can be this long.
 */
const OWN_KEPT_SECONDS = 0.25;
/** Sends, or polls, count as lacking tokens for this long after they were granted less than half of what they asked for. */
const PRESSED = "interval '1 second'";

// Locks the rows of the wishes in order of id. Computes the rate after its climb, the tokens that have gathered, the polls' share and
// the grant. polled_at is the instant up to which the polls' share is used. Polls get their share even where sends have emptied the
// bucket: it then goes below 0, and fills eight times as fast as the polls' share. While the clock is set back no tokens gather.
const TAKE = `
with wish as (select * from unnest($1::text[], $2::int[]) as w(service_id, wanted)),
born as (
  insert into project_pace (service_id, rate, tokens, at)
  select p.service_id, p.rate_per_second, greatest(1, p.rate_per_second / 4.0), clock_timestamp()
    from project p join wish w on w.service_id = p.service_id
   order by 1 on conflict do nothing returning service_id),
held as materialized (
  select a.service_id, a.rate, a.tokens, p.rate_per_second as most, w.wanted, clock_timestamp() as now,
         greatest(0, extract(epoch from clock_timestamp() - a.at))::float8 as passed,
         coalesce(a.pressed_until > clock_timestamp(), false) as pressed, a.polled_at,
         coalesce(a.polls_pressed_until > clock_timestamp(), false) as polls_pressed
    from project_pace a join project p on p.service_id = a.service_id join wish w on w.service_id = a.service_id
   order by a.service_id for no key update of a),
climbed as (
  select *, least(most, rate + most * passed / ${CLIMB_SECONDS}) as new_rate from held),
filled as (
  select f.*, least(greatest(1, f.new_rate / 4), f.tokens + f.passed * f.new_rate) as has from climbed f),
owned as (
  select f.*, ${POLLS_SHARE} / f.new_rate as own_gap, greatest(coalesce(f.polled_at, '-infinity'),
           f.now - greatest(${OWN_KEPT_SECONDS}, ${POLLS_SHARE} / f.new_rate) * interval '1 second') as own_from
    from filled f),
given as (
  select o.*, least(o.wanted, greatest(0, floor(case $3::text
      when 'sends' then o.has
      when 'spare' then case when o.pressed or o.polls_pressed then 0 else o.has - (greatest(1, o.new_rate / 4) - 1) * 3 / 4 end
      -- For polls; 1e-6, so that rounding never costs a whole call.
      else greatest(extract(epoch from o.now - o.own_from)::float8 / o.own_gap + 1e-6,
                    case when o.pressed then 0 else o.has - (greatest(1, o.new_rate / 4) - 1) / 2 end)
      end))) as granted from owned o)
update project_pace a set rate = g.new_rate, tokens = g.has - g.granted, at = g.now,
       pressed_until = case when $3 = 'sends' and 2 * g.granted < g.wanted then g.now + ${PRESSED} else a.pressed_until end,
       polls_pressed_until = case when $3 = 'polls' and 2 * g.granted < g.wanted then g.now + ${PRESSED} else a.polls_pressed_until end,
       polled_at = case when $3 = 'polls' then least(g.now, g.own_from + g.granted * g.own_gap * interval '1 second')
                        else a.polled_at end
  from given g where a.service_id = g.service_id
returning a.service_id as "serviceId", g.granted::int as granted, a.rate,
          greatest(0, ceil(1000 * case when $3 = 'polls'
            then least((1 - a.tokens) / a.rate, extract(epoch from a.polled_at - g.now)::float8 + g.own_gap)
            else (1 - a.tokens) / a.rate end))::float8 as "waitMs"`;

/** Asks twice where a project is new: the first statement makes its row and grants nothing. */
export async function takeTokens(
  sql: Sql,
  wishes: readonly TokenWish[],
  use: TokenUse = 'sends',
): Promise<TokenGrant[]> {
  const columns = [wishes.map((wish) => wish.serviceId), wishes.map((wish) => wish.wanted), use];
  const granted = await sql.query<TokenGrant>(TAKE, columns);
  return granted.length === wishes.length ? granted : sql.query<TokenGrant>(TAKE, columns);
}

/**
 * Halves the rate after a 429, at most once a second, because many calls in flight get the same answer. Returns the rate now;
 * undefined: it was halved less than a second ago.
 */
export async function slowDown(sql: Sql, serviceId: string): Promise<number | undefined> {
  const [row] = await sql.query<{ rate: number }>(
    `update project_pace set rate = greatest(1, rate / 2), tokens = 0, slowed_at = clock_timestamp()
      where service_id = $1 and (slowed_at is null or slowed_at < clock_timestamp() - interval '1 second')
     returning rate`,
    [serviceId],
  );
  return row?.rate;
}
