// Named SQL of outcomes. It writes one row for each device of a claimed chunk, and everything that follows from the outcome. It
// also decides what becomes of a chunk whose claim was lost.
import type { EpochMs } from '../../platform/clock.js';
import { columnsOf } from '../../platform/database/row-arrays.js';
import { firstRow, type Sql } from '../../platform/database/database.js';
import { prepared } from '../../platform/database/pooled-database.js';
import { isDuplicate } from '../gateway/database-fault.js';
import { chunkKey, DEVICE, DEVICE_LISTS, type ChunkClaim, type Claimer } from './chunk.store.js';
import { countLeftOut } from './consent.js';

/** The code of a place without an outcome. */
export const PENDING = 'pending';
/** The code of a place whose outcome an earlier statement recorded. */
export const RECORDED = 'recorded';

/**
 * What became of a place, as one text: a word, a blank, and the reason. Null: sent. `left-out`: the device is no target after
 * all. `again`: it goes again after so many milliseconds.
 */
export type OutcomeCode =
  | typeof PENDING
  | typeof RECORDED
  | `${'failed' | 'unknown' | 'left-out'} ${string}`
  | `again ${number}`
  | null;

export interface ChunkOutcome extends ChunkClaim {
  /** How many outcomes of this claim were recorded before. By it the database refuses to record the same outcomes twice. */
  readonly recorded: number;
  /** In the chunk's order; empty when all were sent and nothing was recorded before. */
  readonly codes: readonly OutcomeCode[];
  /** How many of the codes are outcomes that were not recorded before. */
  readonly newOutcomes: number;
  /** Devices handed over again because an earlier claim was lost; only with the sandbox. */
  readonly repeated: number;
  readonly gone: readonly GoneDevice[];
  /** The credential under which the chunk was handed over; null in the sandbox, where it never changes. */
  readonly credential: string | null;
  readonly version: number | null;
  /** continues: the claim goes on with a new lease. done: nothing is left. returned: the rest goes again, under other claims. */
  readonly fate: 'continues' | 'done' | 'returned';
}

export interface GoneDevice {
  readonly deviceId: string;
  /** A device that was registered later is not the one that is gone. May have a fraction, as the database has it. */
  readonly upTo: EpochMs;
}

/**
 * The end of both statements below. The CTE `sums` has what each firing's chunks came to. From it the statement updates the
 * counts and the ends of firings and messages. A device that had its outcome already (`doubled`) counts as a target only once.
 */
const countsAt = (now: string): string => `
  counted as (
    update firing f set sent_count = sent_count + s.sent, failed_count = failed_count + s.failed,
      unknown_count = unknown_count + s.unknown, target_count = target_count - s.doubled,
      repeated_count = repeated_count + s.repeated, chunks_left = chunks_left - s.chunks,
      state = case when chunks_left = s.chunks then 'FINISHED' else state end,
      complete_at = case when chunks_left = s.chunks then ${now}::timestamptz end
    from sums s where f.id = s.firing_id returning f.message_id, f.chunks_left, s.sent, s.doubled
  ), summed as (
    update message m set sent_count = sent_count + c.sent, target_count = target_count - c.doubled,
      state = case when c.chunks_left = 0 and m.kind <> 'scheduled' then 'FINISHED' else m.state end,
      complete_at = case when c.chunks_left = 0 and m.kind <> 'scheduled' then ${now}::timestamptz else m.complete_at end
    from (select message_id, sum(sent) as sent, sum(doubled) as doubled, sum(chunks_left) as chunks_left
          from counted group by message_id) c
    where m.id = c.message_id
  )`;

/** What stands behind the word of a code: its reason, or its milliseconds. */
const DETAIL = "substr(code, position(' ' in code) + 1)";

const dueIn = (ms: string): string =>
  `case when ${ms} > 0 then clock_timestamp() + ${ms} * interval '1 millisecond' end`;

const NOTHING_HELD = 'claimed_by = null, lease_until = null, handed = 0, recorded = 0';

/** The devices of places as the parallel lists of a chunk, in the order of the places. */
const GATHERED = `count(*)::int as targets, array_agg(device_id order by place) as device_ids,
           array_agg(user_key order by place) as user_keys, array_agg(country order by place) as countries,
           array_agg(language order by place) as languages, array_agg(timezone order by place) as timezones`;

const devicesFrom = (row: string): string =>
  `targets = ${row}.targets, device_ids = ${row}.device_ids, user_keys = ${row}.user_keys, countries = ${row}.countries,
      languages = ${row}.languages, timezones = ${row}.timezones`;

/**
 * The places of the CTE `mine` that go again, grouped by how long they wait. The first group of a chunk stays in its row; each
 * other group gets a new row. If the credential was replaced or removed meanwhile, the wait that a provider asked for does not
 * apply any more. The statement locks the credential's row: either it sees a change, or the change finds these chunks and wakes
 * them (wakeChunksOf).
 */
const GO_BACK = `
  current_credential as materialized (
    select id, version from provider_credential
    where id in (select credential from mine where fate = 'returned' and codes like '%"again %') for share
  ), left_over as materialized (
    select firing_id, chunk_no, wait.after_ms,
           row_number() over (partition by firing_id, chunk_no order by wait.after_ms) as wait_group, ${GATHERED}
    from mine, unnest(${DEVICE_LISTS}, array(select json_array_elements_text(mine.codes::json))) with ordinality
           as t(${DEVICE}, code, place)
      cross join lateral (select case
          when t.code = '${PENDING}' then 0
          when t.code like 'again %' and (mine.credential is null or exists (
            select from current_credential c where c.id = mine.credential and c.version = mine.version)) then ${DETAIL}::int
          when t.code like 'again %' then 0 end as after_ms) wait
    where mine.fate = 'returned' and wait.after_ms is not null group by 1, 2, 3
  ), returned as (
    update fan_out_chunk c set state = case when l.after_ms = 0 then 'READY' else 'LATER' end, not_before = ${dueIn('l.after_ms')},
      ${NOTHING_HELD}, passes = c.passes + 1, refusals = c.refusals + (l.after_ms > 0)::int, ${devicesFrom('l')}
    from left_over l where l.wait_group = 1 and c.firing_id = l.firing_id and c.chunk_no = l.chunk_no
  ), split as (
    insert into fan_out_chunk (firing_id, chunk_no, service_id, device_type, state, not_before, claims, passes, refusals,
      not_after, not_after_reason, targets, ${DEVICE_LISTS})
    select c.firing_id, nextval('fan_out_chunk_split'), c.service_id, c.device_type, 'LATER', ${dueIn('l.after_ms')}, c.claims,
           c.passes + 1, c.refusals + 1, c.not_after, c.not_after_reason, l.targets, l.device_ids, l.user_keys, l.countries,
           l.languages, l.timezones
    from left_over l join fan_out_chunk c on c.firing_id = l.firing_id and c.chunk_no = l.chunk_no
    where l.wait_group > 1
    returning firing_id`;

/** Devices and their codes. Where `codes` is empty all devices were sent, and their codes are null. */
const PLACES = `select firing_id, device_type, unnest(device_ids) as device_id, unnest(user_keys) as user_key,
           unnest(countries) as country, unnest(languages) as language, unnest(timezones) as timezone,
           json_array_elements_text(codes::json) as code
    from mine`;

const OUTCOME = `case when code is null then 'sent' when code like 'failed %' then 'failed' when code like 'unknown %' then 'unknown' end`;

const INSERT_DELIVERIES = `insert into delivery (firing_id, device_type, ${DEVICE}, outcome, reason, handed_at)`;

/** Counts a firing's rows of each outcome: from the codes where each code becomes a row, else from the rows that were kept. */
const ROWS = {
  ofCodes: {
    onConflict: '',
    counted: `select firing_id, sum(coalesce(o.sent, new_outcomes)) as sent, sum(coalesce(o.failed, 0)) as failed,
                     sum(coalesce(o.unknown, 0)) as unknown
              from mine left join lateral (
                select count(*) filter (where code is null) as sent, count(*) filter (where code like 'failed %') as failed,
                       count(*) filter (where code like 'unknown %') as unknown
                from json_array_elements_text(mine.codes::json) as code) o on mine.codes <> '[]'
              group by firing_id`,
  },
  kept: {
    onConflict: 'on conflict do nothing returning firing_id, outcome',
    counted: `select firing_id, count(*) filter (where outcome = 'sent') as sent,
                     count(*) filter (where outcome = 'failed') as failed,
                     count(*) filter (where outcome = 'unknown') as unknown
              from kept group by firing_id`,
  },
};

const OUTCOMES = columnsOf(
  `firing_id bigint, chunk_no int, claims int, codes text, new_outcomes int, repeated int, fate text, recorded int,
   credential uuid, version int`,
);

/**
 * Locks chunks by their keys as they come, then devices, then firings and messages. Two such statements may deadlock; PostgreSQL
 * then ends one, and that one has done nothing. Device columns come from the chunks, not from this process: 8 to 20 ms for 1 000
 * rows of four chunks. When they were joined by place it took 276 ms.
 */
const recordWith = ({ onConflict, counted }: (typeof ROWS)[keyof typeof ROWS]): string =>
  prepared(`
  with mine as materialized (
    select c.firing_id, c.chunk_no, c.device_type, c.device_ids, c.user_keys, c.countries, c.languages, c.timezones,
           g.codes, g.new_outcomes, g.repeated, g.fate, g.credential, g.version
    from ${OUTCOMES.from} g join fan_out_chunk c on c.firing_id = g.firing_id and c.chunk_no = g.chunk_no
    where c.claimed_by = $11 and c.claims = g.claims and c.recorded = g.recorded and c.state = 'CLAIMED' for update of c
  ), kept as (
    ${INSERT_DELIVERIES}
    select firing_id, device_type, ${DEVICE}, ${OUTCOME}, ${DETAIL}, $12
    from (${PLACES}) t
    where code is null or code like 'failed %' or code like 'unknown %'
    ${onConflict}
  ), left_out as (
    ${countLeftOut(`(select *, ${DETAIL} as reason from (${PLACES} where codes like '%"left-out %') t where code like 'left-out %') t`)}
  ), deactivated as (
    update device d set active = false, updated_at = $12
    from unnest($13::bigint[], $14::float8[]) as gone(id, up_to)
    where d.id = gone.id and d.updated_at <= to_timestamp(gone.up_to / 1000)
  ), renewed as (
    update fan_out_chunk c set recorded = c.recorded + mine.new_outcomes,
      lease_until = clock_timestamp() + $15::int * interval '1 millisecond'
    from mine where mine.fate = 'continues' and c.firing_id = mine.firing_id and c.chunk_no = mine.chunk_no
  ), removed as (
    delete from fan_out_chunk c using mine
    where mine.fate = 'done' and c.firing_id = mine.firing_id and c.chunk_no = mine.chunk_no
  ), ${GO_BACK}
  ), sums as (
    select firing_id, chunks, repeated, coalesce(sent, 0) as sent, coalesce(failed, 0) as failed,
           coalesce(unknown, 0) as unknown, new_outcomes - coalesce(sent + failed + unknown, 0) as doubled
    from (select firing_id, sum(new_outcomes) as new_outcomes, sum(repeated) as repeated,
                 (count(*) filter (where fate = 'done') - (select count(*) from split where split.firing_id = mine.firing_id))::int
                   as chunks from mine group by firing_id) recorded
    left join (${counted}) outcomes using (firing_id)
  ), ${countsAt('$12')}
  select firing_id as "firingId", chunk_no as "chunkNo" from mine`);

const RECORD = recordWith(ROWS.ofCodes);

/** For the rare chunk with a device that has its outcome already: to check that for every row takes twice as long. */
const RECORD_REST = recordWith(ROWS.kept);

/**
 * Writes one delivery row for each device, the counts of firings and messages, and what follows for the chunks, in one statement.
 * It leaves a chunk alone that another process has claimed since. It deactivates devices that a provider called gone in any case.
 * It counts the rows that it kept: a device that has its outcome already keeps it and does not hold its chunk up, and a device
 * that is left out after all is no target. Devices that go again are split by how long they wait, so that devices that had no
 * turn do not wait for those that were refused. Do not call it in an open transaction: it may try the statement again. Returns
 * the keys of the chunks that were the worker's.
 */
export async function recordChunks(
  sql: Sql,
  outcomes: readonly ChunkOutcome[],
  { worker, leaseMs, now }: Claimer,
): Promise<ReadonlySet<string>> {
  const gone = outcomes.flatMap((one) => one.gone);
  const parameters = [
    ...OUTCOMES.parametersOf(outcomes.map((one) => ({ ...one, codes: JSON.stringify(one.codes) }))),
    worker,
    now,
    gone.map(({ deviceId }) => deviceId),
    gone.map(({ upTo }) => upTo),
    leaseMs,
  ];
  const rows = await sql.query<ChunkClaim>(RECORD, parameters).catch((error: unknown) => {
    if (!isDuplicate(error)) throw error;
    return sql.query<ChunkClaim>(RECORD_REST, parameters);
  });
  return new Set(rows.map(chunkKey));
}

/** The clock that leases go by. */
export async function databaseTime(sql: Sql): Promise<Date> {
  const row = await firstRow<{ now: Date }>(sql, 'select clock_timestamp() as now');
  if (row === undefined) throw new Error('the database returned no time');
  return row.now;
}

/** Chunks taken over at once. */
const LOST = 20;

const CLAIMS = columnsOf<ChunkClaim>('firing_id bigint, chunk_no int, claims int');

/**
 * Makes chunks READY again whose lease is over (index fan_out_chunk_claimed). It passes over rows that others hold. Devices that
 * may have left and have no outcome become unknown and never go again; the others go again. The process that lost the lease may
 * record just then, so that outcomes are newer than this statement's snapshot: the insert passes over them. A process that
 * records under a claim also renews its lease, so this statement would not have taken that row. A device whose outcome was not
 * recorded under the claim had it already (`doubled`).
 */
const TAKE_OVER = prepared(`
  with lost as materialized (
    select * from fan_out_chunk where state = 'CLAIMED' and lease_until < $5
      and (firing_id, chunk_no, claims) not in (select * from ${CLAIMS.from} held)
    order by lease_until limit ${LOST} for update skip locked
  ), ended as materialized (
    select lost.firing_id, d.device_id from lost cross join lateral devices_with_outcome(lost.firing_id, lost.device_ids) as d(device_id)
  ), pending as materialized (
    select lost.firing_id, lost.chunk_no, lost.device_type, lost.handed, t.*
    from lost, unnest(${DEVICE_LISTS}) with ordinality as t(${DEVICE}, place)
    where not exists (select from ended d where d.firing_id = lost.firing_id and d.device_id = t.device_id)
  ), kept as (
    ${INSERT_DELIVERIES}
    select firing_id, device_type, ${DEVICE}, 'unknown', 'ANSWER_LOST', $4
    from pending where place <= handed on conflict do nothing returning firing_id
  ), rest as materialized (
    select firing_id, chunk_no, ${GATHERED} from pending where place > handed group by 1, 2
  ), returned as (
    update fan_out_chunk c set state = 'READY', ${NOTHING_HELD}, ${devicesFrom('rest')}
    from rest where c.firing_id = rest.firing_id and c.chunk_no = rest.chunk_no
  ), removed as (
    delete from fan_out_chunk c using lost
    where c.firing_id = lost.firing_id and c.chunk_no = lost.chunk_no
      and not exists (select from rest where rest.firing_id = c.firing_id and rest.chunk_no = c.chunk_no)
    returning c.firing_id
  ), sums as (
    select firing_id, sum(chunk)::int as chunks, sum(unknown) as unknown, 0 as sent, 0 as failed, sum(doubled) as doubled,
           0 as repeated
    from (select firing_id, 1 as chunk, 0 as unknown, 0 as doubled from removed
          union all select firing_id, 0, 1, 0 from kept
          union all select firing_id, 0, 0, cardinality(device_ids) - recorded - coalesce(open.places, 0) from lost
            left join (select firing_id, chunk_no, count(*)::int as places from pending group by 1, 2) open
              using (firing_id, chunk_no)) counted
    group by 1
  ), ${countsAt('$4')}
  select (select count(*)::int from lost) as chunks, (select count(*)::int from kept) as unknown`);

/** How many chunks were taken over, and how many of their devices are unknown now. */
export interface TakenOver {
  readonly chunks: number;
  readonly unknown: number;
}

/** A claim is lost when its lease was over at `asOf`, by the database's clock, and it is not in `but`. */
export interface Lost {
  readonly asOf: Date;
  readonly but: readonly ChunkClaim[];
}

export async function takeOver(sql: Sql, now: Date, { asOf, but }: Lost): Promise<TakenOver> {
  const row = await firstRow<TakenOver>(sql, TAKE_OVER, [...CLAIMS.parametersOf(but), now, asOf]);
  return row ?? { chunks: 0, unknown: 0 };
}
