// Named SQL of outcomes: what became of the devices of claimed chunks, one row each, with everything that follows from it; and
// what becomes of a chunk whose claim was lost.
import type { EpochMs } from '../../platform/clock.js';
import { columnsOf } from '../../platform/database/row-arrays.js';
import { firstRow, type Sql } from '../../platform/database/database.js';
import { prepared } from '../../platform/database/pooled-database.js';
import { isDuplicate } from '../gateway/database-fault.js';
import { chunkKey, DEVICE, DEVICE_LISTS, type ChunkClaim, type Claimer } from './chunk.store.js';
import { countLeftOut } from './consent.js';

/** The codes of a place without an outcome, and of one whose outcome was recorded before. */
export const NOT_YET = '-';
export const RECORDED = '+';

/**
 * What became of a place, as it is written: null when sent; else a sign and what follows it. `!` failed and `?` unknown, each
 * with its reason; `~` left out after all, with the reason; `>` goes again, after so many milliseconds.
 */
export type OutcomeCode = string | null;

export interface ChunkOutcome extends ChunkClaim {
  /** Outcomes of this claim that were recorded before: recording the same twice is refused the second time. */
  readonly recorded: number;
  /** In the chunk's order; empty when all were sent and nothing was recorded before. */
  readonly codes: readonly OutcomeCode[];
  /** How many of the codes are outcomes. */
  readonly told: number;
  /** Devices handed over again because an earlier claim was lost; only with the sandbox. */
  readonly repeated: number;
  readonly gone: readonly GoneDevice[];
  /** Under which it was handed over; null: under none that may change. */
  readonly credential: string | null;
  readonly version: number | null;
  /** part: the claim goes on, its lease renewed. done: nothing is left. back: the rest goes again, under other claims. */
  readonly fate: 'part' | 'done' | 'back';
}

export interface GoneDevice {
  readonly deviceId: string;
  /** A device registered later than this is not the one that is gone; may have a fraction, as the database has it. */
  readonly upTo: EpochMs;
}

/**
 * How both statements below end: from a CTE `sums`, what each firing's chunks came to, it updates the counts and the ends of
 * firings and messages. A device that had its outcome already (`doubled`) does not count as a target twice.
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

const dueIn = (ms: string): string =>
  `case when ${ms} > 0 then clock_timestamp() + ${ms} * interval '1 millisecond' end`;

const NOTHING_HELD = 'claimed_by = null, lease_until = null, handed = 0, recorded = 0';

/** The devices of places as a chunk's parallel lists, in their order. */
const GATHERED = `count(*)::int as targets, array_agg(device_id order by place) as device_ids,
           array_agg(user_key order by place) as user_keys, array_agg(country order by place) as countries,
           array_agg(language order by place) as languages, array_agg(timezone order by place) as timezones`;

const devicesFrom = (row: string): string =>
  `targets = ${row}.targets, device_ids = ${row}.device_ids, user_keys = ${row}.user_keys, countries = ${row}.countries,
      languages = ${row}.languages, timezones = ${row}.timezones`;

/**
 * From a CTE `mine`: the places that go again, the first lot of a chunk in its own row, the others in new rows. What a provider said
 * under a credential that was replaced or removed meanwhile is not waited for. Its row is locked, so that a change either is seen
 * here, or finds these chunks and wakes them (wakeChunksOf).
 */
const GO_BACK = `
  standing as materialized (
    select id, version from provider_credential
    where id in (select credential from mine where fate = 'back' and codes like '%">%') for share
  ), left_over as materialized (
    select firing_id, chunk_no, wait.after_ms,
           row_number() over (partition by firing_id, chunk_no order by wait.after_ms) as part, ${GATHERED}
    from mine, unnest(${DEVICE_LISTS}, array(select json_array_elements_text(mine.codes::json))) with ordinality
           as t(${DEVICE}, code, place)
      cross join lateral (select case
          when t.code = '${NOT_YET}' then 0
          when t.code like '>%' and (mine.credential is null or exists (
            select from standing s where s.id = mine.credential and s.version = mine.version)) then substr(t.code, 2)::int
          when t.code like '>%' then 0 end as after_ms) wait
    where mine.fate = 'back' and wait.after_ms is not null group by 1, 2, 3
  ), back as (
    update fan_out_chunk c set state = case when l.after_ms = 0 then 'READY' else 'LATER' end, not_before = ${dueIn('l.after_ms')},
      ${NOTHING_HELD}, passes = c.passes + 1, refusals = c.refusals + (l.after_ms > 0)::int, ${devicesFrom('l')}
    from left_over l where l.part = 1 and c.firing_id = l.firing_id and c.chunk_no = l.chunk_no
  ), split as (
    insert into fan_out_chunk (firing_id, chunk_no, service_id, device_type, state, not_before, claims, passes, refusals,
      not_after, not_after_reason, targets, ${DEVICE_LISTS})
    select c.firing_id, nextval('fan_out_chunk_split'), c.service_id, c.device_type, 'LATER', ${dueIn('l.after_ms')}, c.claims,
           c.passes + 1, c.refusals + 1, c.not_after, c.not_after_reason, l.targets, l.device_ids, l.user_keys, l.countries,
           l.languages, l.timezones
    from left_over l join fan_out_chunk c on c.firing_id = l.firing_id and c.chunk_no = l.chunk_no where l.part > 1
    returning firing_id`;

/** Devices and what became of them. Where `codes` is empty, because all were sent, the code is null as well. */
const PLACES = `select firing_id, device_type, unnest(device_ids) as device_id, unnest(user_keys) as user_key,
           unnest(countries) as country, unnest(languages) as language, unnest(timezones) as timezone,
           json_array_elements_text(codes::json) as code
    from mine`;

const OUTCOME = `case when code is null then 'sent' when code like '!%' then 'failed' when code like '?%' then 'unknown' end`;

const INSERT_DELIVERIES = `insert into delivery (firing_id, device_type, ${DEVICE}, outcome, reason, handed_at)`;

/** How to count a firing's rows of each outcome: by the codes, when each of them becomes a row; else by the rows that were kept. */
const ROWS = {
  ofCodes: {
    onConflict: '',
    counted: `select firing_id, sum(coalesce(o.sent, told)) as sent, sum(coalesce(o.failed, 0)) as failed,
                     sum(coalesce(o.unknown, 0)) as unknown
              from mine left join lateral (
                select count(*) filter (where code is null) as sent, count(*) filter (where code like '!%') as failed,
                       count(*) filter (where code like '?%') as unknown
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
  `firing_id bigint, chunk_no int, claims int, codes text, told int, repeated int, fate text, recorded int, credential uuid,
   version int`,
);

/**
 * Chunks are locked by their keys as they come, then devices, then firings and messages: two statements at once that meet may
 * deadlock, and one is ended, having done nothing. Device columns come from the chunks themselves, not over the wire again:
 * 8 to 20 ms for 1000 rows of four chunks, 276 ms when they were joined by place.
 */
const recordWith = ({ onConflict, counted }: (typeof ROWS)[keyof typeof ROWS]): string =>
  prepared(`
  with mine as materialized (
    select c.firing_id, c.chunk_no, c.device_type, c.device_ids, c.user_keys, c.countries, c.languages, c.timezones,
           g.codes, g.told, g.repeated, g.fate, g.credential, g.version
    from ${OUTCOMES.from} g join fan_out_chunk c on c.firing_id = g.firing_id and c.chunk_no = g.chunk_no
    where c.claimed_by = $11 and c.claims = g.claims and c.recorded = g.recorded and c.state = 'CLAIMED' for update of c
  ), kept as (
    ${INSERT_DELIVERIES}
    select firing_id, device_type, ${DEVICE}, ${OUTCOME}, substr(code, 2), $12
    from (${PLACES}) t
    where code is null or left(code, 1) in ('!', '?')
    ${onConflict}
  ), left_out as (
    ${countLeftOut(`(select *, substr(code, 2) as reason from (${PLACES} where codes like '%"~%') t where code like '~%') t`)}
  ), deactivated as (
    update device d set active = false, updated_at = $12
    from unnest($13::bigint[], $14::float8[]) as gone(id, up_to)
    where d.id = gone.id and d.updated_at <= to_timestamp(gone.up_to / 1000)
  ), renewed as (
    update fan_out_chunk c set recorded = c.recorded + mine.told,
      lease_until = clock_timestamp() + $15::int * interval '1 millisecond'
    from mine where mine.fate = 'part' and c.firing_id = mine.firing_id and c.chunk_no = mine.chunk_no
  ), removed as (
    delete from fan_out_chunk c using mine
    where mine.fate = 'done' and c.firing_id = mine.firing_id and c.chunk_no = mine.chunk_no
  ), ${GO_BACK}
  ), sums as (
    select firing_id, chunks, repeated, coalesce(sent, 0) as sent, coalesce(failed, 0) as failed,
           coalesce(unknown, 0) as unknown, told - coalesce(sent + failed + unknown, 0) as doubled
    from (select firing_id, sum(told) as told, sum(repeated) as repeated,
                 (count(*) filter (where fate = 'done') - (select count(*) from split where split.firing_id = mine.firing_id))::int
                   as chunks from mine group by firing_id) told
    left join (${counted}) outcomes using (firing_id)
  ), ${countsAt('$12')}
  select firing_id as "firingId", chunk_no as "chunkNo" from mine`);

const RECORD = recordWith(ROWS.ofCodes);

/** Only for the rare chunk with a device that has its outcome already: looking for one at every row takes twice as long. */
const RECORD_REST = recordWith(ROWS.kept);

/**
 * Writes one delivery row a device, the counts of firings and messages, and what follows for the chunks, all in one statement.
 * A chunk that another process has claimed since is left alone; devices that a provider said are gone are deactivated all the
 * same. The counts are those of the rows kept: a device that has its outcome already keeps it and does not hold its chunk up,
 * and one that is left out after all is no target. What goes again is split by when, so that devices whose turn has not come
 * do not wait for those that were refused. Not for an open transaction: the statement may be tried again. Returns the keys of
 * the chunks that were the worker's.
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
  if (row === undefined) throw new Error('the database told no time');
  return row.now;
}

/** Chunks taken over at once. */
const LOST = 20;

const CLAIMS = columnsOf<ChunkClaim>('firing_id bigint, chunk_no int, claims int');

/**
 * Chunks whose lease is over (index fan_out_chunk_claimed; rows that others hold are passed over) become READY again. Devices
 * that may have left and have no outcome are unknown, and never go again; the rest does. Outcomes may be newer than this
 * statement's snapshot if the process that lost the lease recorded just then: the insert passes over them. Recording under a
 * claim also renews its lease, so the row locked here would not have been taken. A device with an outcome that was not
 * recorded under the claim had it already (`doubled`).
 */
const TAKE_OVER = prepared(`
  with lost as materialized (
    select * from fan_out_chunk where state = 'CLAIMED' and lease_until < $5
      and (firing_id, chunk_no, claims) not in (select * from ${CLAIMS.from} held)
    order by lease_until limit ${LOST} for update skip locked
  ), told as materialized (
    select lost.firing_id, d.device_id from lost cross join lateral devices_told(lost.firing_id, lost.device_ids) as d(device_id)
  ), untold as materialized (
    select lost.firing_id, lost.chunk_no, lost.device_type, lost.handed, t.*
    from lost, unnest(${DEVICE_LISTS}) with ordinality as t(${DEVICE}, place)
    where not exists (select from told d where d.firing_id = lost.firing_id and d.device_id = t.device_id)
  ), kept as (
    ${INSERT_DELIVERIES}
    select firing_id, device_type, ${DEVICE}, 'unknown', 'ANSWER_LOST', $4
    from untold where place <= handed on conflict do nothing returning firing_id
  ), rest as materialized (
    select firing_id, chunk_no, ${GATHERED} from untold where place > handed group by 1, 2
  ), back as (
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
            left join (select firing_id, chunk_no, count(*)::int as places from untold group by 1, 2) open
              using (firing_id, chunk_no)) ended
    group by 1
  ), ${countsAt('$4')}
  select (select count(*)::int from lost) as chunks, (select count(*)::int from kept) as unknown`);

/** How many chunks, and how many of their devices are unknown now. */
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
