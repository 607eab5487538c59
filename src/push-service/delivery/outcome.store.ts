// Named SQL of outcomes: what became of the devices of claimed chunks, one row each, with all that follows from it; and
// what becomes of a chunk whose claim was lost.
import type { EpochMs } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import { prepared } from '../../platform/database/pooled-database.js';
import { isDuplicate } from '../gateway/database-fault.js';
import type { Frontier } from './chunk.store.js';

/** Of a place that has no outcome, and of one whose outcome was recorded before. */
export const NOT_YET = '-';
export const RECORDED = '+';

/**
 * What became of a place, as it is written: null for sent; behind ! a reason for having failed, behind ? one for being
 * unknown, behind ~ one for being left out after all; behind > the milliseconds after which it goes again.
 */
export type OutcomeCode = string | null;

export interface ChunkOutcome {
  readonly firingId: string;
  readonly chunkNo: number;
  /** Of the claim. */
  readonly claims: number;
  /** Outcomes of the claim that were recorded before: what is recorded twice is refused the second time. */
  readonly recorded: number;
  /** In the chunk's order; empty when all were sent, and recorded at once. */
  readonly codes: readonly OutcomeCode[];
  /** Outcomes among them. */
  readonly told: number;
  /** Devices handed over anew, since the claim before was lost; with the sandbox alone. */
  readonly repeated: number;
  readonly gone: readonly GoneDevice[];
  /** part: the claim goes on, its lease renewed. done: nothing is left. back: the rest goes again, by other claims. */
  readonly fate: 'part' | 'done' | 'back';
}

export interface GoneDevice {
  readonly deviceId: string;
  /** Registered later than this, it is another device than the one that is gone; of a fraction, as the database has it. */
  readonly upTo: EpochMs;
}

/**
 * What both statements below end with: from a CTE `sums`, of what a firing's chunks came to, the counts and the ends of
 * firings and messages. A device that has its outcome already (`doubled`) is no target twice.
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

/** From a CTE `mine`: the places that go again, the first of its lots in the chunk's own row, the others in new ones. */
const GO_BACK = `
  left_over as materialized (
    select mine.firing_id, mine.chunk_no, wait.after_ms, count(*)::int as targets,
           row_number() over (partition by mine.firing_id, mine.chunk_no order by wait.after_ms) as part,
           array_agg(t.device_id order by t.place) as device_ids, array_agg(t.user_key order by t.place) as user_keys,
           array_agg(t.country order by t.place) as countries, array_agg(t.language order by t.place) as languages,
           array_agg(t.timezone order by t.place) as timezones
    from mine, unnest(mine.device_ids, mine.user_keys, mine.countries, mine.languages, mine.timezones,
                      array(select json_array_elements_text(mine.codes::json))) with ordinality
           as t(device_id, user_key, country, language, timezone, code, place)
      cross join lateral (select case when t.code = '${NOT_YET}' then 0 when t.code like '>%' then substr(t.code, 2)::int end
                            as after_ms) wait
    where mine.fate = 'back' and wait.after_ms is not null group by 1, 2, 3
  ), back as (
    update fan_out_chunk c set state = case when l.after_ms = 0 then 'READY' else 'LATER' end, not_before = ${dueIn('l.after_ms')},
      claimed_by = null, lease_until = null, handed = 0, recorded = 0, passes = c.passes + 1,
      refusals = c.refusals + (l.after_ms > 0)::int, targets = l.targets, device_ids = l.device_ids, user_keys = l.user_keys,
      countries = l.countries, languages = l.languages, timezones = l.timezones
    from left_over l where l.part = 1 and c.firing_id = l.firing_id and c.chunk_no = l.chunk_no
  ), split as (
    insert into fan_out_chunk (firing_id, chunk_no, service_id, device_type, state, not_before, claims, passes, refusals,
      not_after, not_after_reason, targets, device_ids, user_keys, countries, languages, timezones)
    select c.firing_id, nextval('fan_out_chunk_split'), c.service_id, c.device_type, 'LATER', ${dueIn('l.after_ms')}, c.claims,
           c.passes + 1, c.refusals + 1, c.not_after, c.not_after_reason, l.targets, l.device_ids, l.user_keys, l.countries,
           l.languages, l.timezones
    from left_over l join fan_out_chunk c on c.firing_id = l.firing_id and c.chunk_no = l.chunk_no where l.part > 1
    returning firing_id`;

/** Of places and what became of them: NULL beyond the end of `codes`, which are none where all were sent. */
const PLACES = `select firing_id, device_type, unnest(device_ids) as device_id, unnest(user_keys) as user_key,
           unnest(countries) as country, unnest(languages) as language, unnest(timezones) as timezone,
           json_array_elements_text(codes::json) as code
    from mine`;

const OUTCOME = `case when code is null then 'sent' when code like '!%' then 'failed' when code like '?%' then 'unknown' end`;

/** How many rows of each outcome a firing got: as many as codes, where each of them is a row; else those that were kept. */
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

const recordWith = ({ onConflict, counted }: (typeof ROWS)[keyof typeof ROWS]): string =>
  prepared(`
  with given as (
    select * from unnest($1::bigint[], $2::int[], $3::int[], $4::text[], $5::int[], $6::int[], $7::text[], $8::int[])
      as g(firing_id, chunk_no, claims, codes, told, repeated, fate, recorded)
  ), mine as materialized (
    select c.firing_id, c.chunk_no, c.device_type, c.device_ids, c.user_keys, c.countries, c.languages, c.timezones,
           g.codes, g.told, g.repeated, g.fate
    from given g join fan_out_chunk c on c.firing_id = g.firing_id and c.chunk_no = g.chunk_no
    where c.claimed_by = $9 and c.claims = g.claims and c.recorded = g.recorded and c.state = 'CLAIMED' for update of c
  ), kept as (
    insert into delivery (firing_id, device_id, user_key, device_type, country, language, timezone, outcome, reason, handed_at)
    select firing_id, device_id, user_key, device_type, country, language, timezone, ${OUTCOME}, substr(code, 2), $10
    from (${PLACES}) t
    where code is null or left(code, 1) in ('!', '?')
    ${onConflict}
  ), left_out as (
    insert into suppression (firing_id, reason, device_type, country, language, timezone, count)
    select firing_id, substr(code, 2), device_type, country, language, timezone, count(*)
    from (${PLACES} where codes like '%"~%') t
    where code like '~%' group by 1, 2, 3, 4, 5, 6
    on conflict (firing_id, reason, device_type, country, language, timezone)
      do update set count = suppression.count + excluded.count
  ), deactivated as (
    update device d set active = false, updated_at = $10
    from unnest($11::bigint[], $12::float8[]) as gone(id, up_to)
    where d.id = gone.id and d.updated_at <= to_timestamp(gone.up_to / 1000)
  ), renewed as (
    update fan_out_chunk c set recorded = c.recorded + mine.told,
      lease_until = clock_timestamp() + $13::int * interval '1 millisecond'
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
  ), ${countsAt('$10')}
  select firing_id as "firingId", chunk_no as "chunkNo" from mine`);

const RECORD = recordWith(ROWS.ofCodes);

/** For the rare chunk with a device that has its outcome: ready for that at every row, it takes twice as long. */
const RECORD_REST = recordWith(ROWS.kept);

export interface Recording {
  readonly worker: string;
  readonly leaseMs: number;
  readonly now: Date;
}

/**
 * One delivery row a device, the counts of firings and messages, and what follows for the chunks: one statement, in which
 * what another has claimed since is left alone, but for devices that a provider said are gone. The counts are those of the
 * rows kept: a device that has its outcome already keeps it and holds no chunk up, and one that is left out after all is
 * no target. What goes again is split by when: those whose turn has not come do not wait for those that were refused.
 * Device columns come from the chunks
 * themselves, not over the wire again: 8 to 20 ms for 1000 rows of four chunks, 276 when they were joined by place. Chunks
 * are locked by their keys as they come, then devices, then firings and messages: of two at once that meet one may be ended
 * as a deadlock, having done nothing. Not for an open transaction: the statement may be tried again. Returns those chunks
 * that were the worker's, as `firingId chunkNo`.
 */
export async function recordChunks(
  sql: Sql,
  outcomes: readonly ChunkOutcome[],
  { worker, leaseMs, now }: Recording,
): Promise<ReadonlySet<string>> {
  const gone = outcomes.flatMap((one) => one.gone);
  const parameters = [
    outcomes.map((one) => one.firingId),
    outcomes.map((one) => one.chunkNo),
    outcomes.map((one) => one.claims),
    outcomes.map((one) => JSON.stringify(one.codes)),
    outcomes.map((one) => one.told),
    outcomes.map((one) => one.repeated),
    outcomes.map((one) => one.fate),
    outcomes.map((one) => one.recorded),
    worker,
    now,
    gone.map(({ deviceId }) => deviceId),
    gone.map(({ upTo }) => upTo),
    leaseMs,
  ];
  const record = (text: string) => sql.query<{ firingId: string; chunkNo: number }>(text, parameters);
  let rows: { firingId: string; chunkNo: number }[];
  try {
    rows = await record(RECORD);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    rows = await record(RECORD_REST);
  }
  return new Set(rows.map(({ firingId, chunkNo }) => `${firingId} ${chunkNo}`));
}

/** By which leases run. */
export async function databaseTime(sql: Sql): Promise<Date> {
  const [row] = await sql.query<{ now: Date }>('select clock_timestamp() as now');
  if (row === undefined) throw new Error('the database told no time');
  return row.now;
}

/** Chunks taken over at once. */
const LOST = 20;

/**
 * Chunks whose lease is over (index fan_out_chunk_claimed; those that others hold are passed over) become READY again.
 * What may have left and has no outcome is unknown, and never goes again; the rest does. The rows of
 * outcomes may be newer than this statement's snapshot where
 * whoever lost the lease recorded just then: the insert passes over them, and as recording renews the lease, the row locked
 * here would not have been taken. A row that is none of those recorded under the claim is of a device that had its outcome
 * already (`doubled`). Returns how many chunks, and devices that are unknown.
 */
const TAKE_OVER = prepared(`
  with lost as materialized (
    select * from fan_out_chunk where state = 'CLAIMED' and lease_until < $2
      and (firing_id, chunk_no, claims) not in (select * from unnest($3::bigint[], $4::int[], $5::int[]))
    order by lease_until limit ${LOST} for update skip locked
  ), told as materialized (
    select lost.firing_id, d.device_id from lost cross join lateral devices_told(lost.firing_id, lost.device_ids) as d(device_id)
  ), untold as materialized (
    select lost.firing_id, lost.chunk_no, lost.device_type, lost.handed, t.*
    from lost, unnest(lost.device_ids, lost.user_keys, lost.countries, lost.languages, lost.timezones) with ordinality
           as t(device_id, user_key, country, language, timezone, place)
    where not exists (select from told d where d.firing_id = lost.firing_id and d.device_id = t.device_id)
  ), kept as (
    insert into delivery (firing_id, device_id, user_key, device_type, country, language, timezone, outcome, reason, handed_at)
    select firing_id, device_id, user_key, device_type, country, language, timezone, 'unknown', 'ANSWER_LOST', $1
    from untold where place <= handed on conflict do nothing returning firing_id
  ), rest as materialized (
    select firing_id, chunk_no, count(*)::int as targets, array_agg(device_id order by place) as device_ids,
           array_agg(user_key order by place) as user_keys, array_agg(country order by place) as countries,
           array_agg(language order by place) as languages, array_agg(timezone order by place) as timezones
    from untold where place > handed group by 1, 2
  ), back as (
    update fan_out_chunk c set state = 'READY', claimed_by = null, lease_until = null, handed = 0, recorded = 0,
      targets = rest.targets, device_ids = rest.device_ids, user_keys = rest.user_keys, countries = rest.countries, languages = rest.languages,
      timezones = rest.timezones
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
  ), ${countsAt('$1')}
  select (select count(*)::int from lost) as chunks, (select count(*)::int from kept) as unknown`);

export interface TakenOver {
  readonly chunks: number;
  readonly unknown: number;
}

/** Which claims are lost. */
export interface Lost {
  /** By the database's clock: leases that were over by then. */
  readonly asOf: Date;
  /** Claims that are not, whatever their leases say: whoever asks holds them. */
  readonly but: readonly Frontier[];
}

export async function takeOver(sql: Sql, now: Date, { asOf, but }: Lost): Promise<TakenOver> {
  const keys = [
    but.map(({ firingId }) => firingId),
    but.map(({ chunkNo }) => chunkNo),
    but.map(({ claims }) => claims),
  ];
  const [row] = await sql.query<TakenOver>(TAKE_OVER, [now, asOf, ...keys]);
  return row ?? { chunks: 0, unknown: 0 };
}
