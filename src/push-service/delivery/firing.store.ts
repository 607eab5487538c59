// Named SQL of firings: from the lock of a firing to the chunks of its targets. All of it runs inside one transaction with one
// snapshot. So a process that dies leaves either no chunk or all chunks, and each device is in exactly one.
import { anyRow, type Sql } from '../../platform/database/database.js';
import type { TargetType } from '../../push-contract/statuses.js';
import type { MessageKind, MessageState } from '../messages/message.store.js';
import { DEVICE_LISTS } from './chunk.store.js';
import { countLeftOut, endReason, nextNight, suppressedBecause } from './consent.js';
import type { Deadlines } from './deadlines.js';

export interface ReadyFiring {
  readonly id: string;
  readonly messageId: string;
  readonly serviceId: string;
  readonly kind: MessageKind;
  readonly messageState: MessageState;
  readonly request: string;
  readonly timezone: number | null;
  readonly dueAt: Date;
  /** Whether its message is small: then it is expanded together with others. */
  readonly small: boolean;
}

/** How many small firings are expanded together. */
const RUN_SIZE = 200;

/**
 * `oldest`: the firing that has waited longest. `small`: the oldest small firing, so that it never waits for a big one to end.
 */
export type FiringOrder = 'oldest' | 'small';

/**
 * Locks the first READY firing of the order, with its message (indexes firing_ready, firing_ready_small). Passes over rows that
 * others hold. With a small firing come up to RUN_SIZE of the oldest small firings, in order of age; a firing that broke before
 * comes alone. The statement reads columns where it locks the rows. Read in a second place, they would be as of the statement's
 * start, and a cancellation in between would be missed.
 */
export async function lockReadyFirings(sql: Sql, order: FiringOrder): Promise<ReadyFiring[]> {
  return sql.query<ReadyFiring>(
    `with first as materialized (
       ${READY_FIRING} ${order === 'small' ? 'and f.small' : ''} order by f.id limit 1 for no key update skip locked
     ), beside as materialized (
       ${READY_FIRING} and f.small and f.attempts = 0 and (select small and attempts = 0 from first)
       order by f.id limit ${RUN_SIZE} for no key update skip locked
     )
     select * from first union all select * from beside where id <> (select id from first)`,
  );
}

const READY_FIRING = `select f.id, f.message_id as "messageId", f.service_id as "serviceId", m.kind,
         m.state as "messageState", m.request, f.timezone, f.due_at as "dueAt", f.attempts, f.small
       from firing f join message m on m.id = f.message_id where f.state = 'READY'`;

export interface TargetFilter {
  readonly firingId: string;
  readonly serviceId: string;
  readonly type: TargetType;
  readonly to: readonly string[];
  readonly deviceType: string | null;
  readonly countries: readonly string[] | null;
  readonly timezones: readonly number[] | null;
  /** Only for a LOCALTIME firing: users whose offsets are within 450 s of it, in seconds. */
  readonly quarter: number | null;
  readonly advertising: boolean;
  readonly deadlines: Deadlines;
}

export interface ExpandedPage {
  /** bigint as text; null when the page has no user. */
  readonly lastKey: string | null;
  /** False: this was the last page. */
  readonly more: boolean;
  readonly targets: number;
  readonly chunks: number;
}

/** The most devices of one chunk. All have one type and one end. */
export const CHUNK_SIZE = 1_000;

/** The most users of one statement. Bounds its time (about 150 ms) and memory, however many users are targeted. */
const PAGE_SIZE = 20_000;

/**
 * Puts the next page of targets into chunks, in order of user key. ALL reads users and devices by key range and joins them by
 * hash. CHANNEL and USER look up each user's devices, because their keys may lie far apart. `offset 0` forces that: the planner
 * would otherwise read every device of the service for each page. A chunk's devices are in order of id, as a claim reads them
 * (chunk.store.ts): sorted first, then grouped by hash. The planner picks the hash because it expects a boolean to be true for
 * many rows. It expects `reason is null` to be rare, and would sort again.
 */
export async function expandPage(
  sql: Sql,
  filter: TargetFilter,
  at: Date,
  { afterKey, chunks }: { readonly afterKey: string; readonly chunks: number },
): Promise<ExpandedPage> {
  const [row] = await sql.query<ExpandedPage>(
    `with page as materialized (${PAGES[filter.type]}),
     edge as materialized (select max(key) as key, count(*) as users from page),
     targeted as (
       select d.id, u.key, d.device_type, u.country, u.language, u.timezone, why.reason, why.reason is null as is_target,
         least(${nextNight('$8::bool', '$9::timestamptz')}, ${FIXED_END}) as not_after
       from ${filter.type === 'ALL' ? BY_RANGE : BY_LOOKUP}
         cross join lateral (select ${suppressedBecause('$8::bool', '$9::timestamptz')} as reason) why
       where ($5::text is null or d.device_type = $5) and ($6::text[] is null or u.country = any($6))
         and ($7::int[] is null or u.timezone = any($7))
         and ($10::int is null or (u.timezone >= $10 - 450 and u.timezone < $10 + 450))
     ), alike as (
       select device_type, not_after, count(*)::int as targets, array_agg(id) as device_ids, array_agg(key) as user_keys,
              array_agg(country) as countries, array_agg(language) as languages, array_agg(timezone) as timezones
       from (select * from targeted where is_target order by id) t group by device_type, not_after
     ), cut as (
       select device_type, not_after, chunk_index, least(targets - before, ${CHUNK_SIZE}) as targets,
              device_ids[low:high] as device_ids, user_keys[low:high] as user_keys, countries[low:high] as countries,
              languages[low:high] as languages, timezones[low:high] as timezones
       from alike cross join lateral generate_series(0, (targets - 1) / ${CHUNK_SIZE}) as chunk_index
         cross join lateral (select chunk_index * ${CHUNK_SIZE} as before, chunk_index * ${CHUNK_SIZE} + 1 as low,
                                    (chunk_index + 1) * ${CHUNK_SIZE} as high) b
       offset 0
     ), laid as (
       insert into fan_out_chunk (${CHUNK_COLUMNS})
       select $1::bigint, $4::int + row_number() over (order by chunk_index, device_type, not_after) - 1, $2, device_type, not_after,
              ${endReason('not_after', FIXED_END, FIXED_REASON)}, targets, ${DEVICE_LISTS}
       from cut returning targets
     ), left_out as (
       ${countLeftOut('(select $1::bigint as firing_id, * from targeted where reason is not null) t')}
     )
     select (select key from edge)::text as "lastKey", (select users from edge) = ${PAGE_SIZE} as more,
            (select count(*)::int from laid) as chunks,
            coalesce((select sum(targets)::int from laid), 0) as targets`,
    [
      filter.firingId,
      filter.serviceId,
      afterKey,
      chunks,
      filter.deviceType,
      filter.countries,
      filter.timezones,
      filter.advertising,
      at,
      filter.quarter,
      filter.deadlines.GCM.at,
      filter.deadlines.GCM.reason,
      filter.deadlines.APNS.at,
      filter.deadlines.APNS.reason,
      ...(filter.type === 'ALL' ? [] : [filter.to]),
    ],
  );
  return row ?? { lastKey: null, more: false, targets: 0, chunks: 0 };
}

export const CHUNK_COLUMNS = `firing_id, chunk_no, service_id, device_type, not_after, not_after_reason, targets, ${DEVICE_LISTS}`;

const FIXED_END = `case device_type when 'GCM' then $11::timestamptz else $13::timestamptz end`;
const FIXED_REASON = `case device_type when 'GCM' then $12::text else $14::text end`;

const USER_COLUMNS =
  'key, country, language, timezone, notification_agreement, ad_agreement, night_ad_agreement';

const PAGES: Readonly<Record<TargetType, string>> = {
  ALL: `select ${USER_COLUMNS} from push_user where service_id = $2 and key > $3::bigint order by key limit ${PAGE_SIZE}`,
  CHANNEL: `select ${USER_COLUMNS} from push_user where service_id = $2 and key in (
      select distinct m.user_key from channel_member m
      where m.channel_id in (select id from channel where service_id = $2 and channel_name = any($15::text[]))
        and m.user_key > $3::bigint order by m.user_key limit ${PAGE_SIZE}) order by key`,
  USER: `select ${USER_COLUMNS} from push_user where service_id = $2 and user_id = any($15::text[]) and key > $3::bigint
    order by key limit ${PAGE_SIZE}`,
};

const BY_RANGE = `page u join (select id, user_key, device_type from device where service_id = $2 and active
  and user_key > $3::bigint and user_key <= (select key from edge)) d on d.user_key = u.key`;

const BY_LOOKUP = `page u cross join lateral (select id, device_type from device
  where service_id = $2 and user_key = u.key and active offset 0) d`;

/**
 * READY → SENDING, or FINISHED when nobody is targeted. The same statement moves the messages. The CTE `counted` has how many
 * chunks and targets each firing got.
 */
export const markExpandedAt = (now: string): string => `
  fired as (
    update firing f set state = case when c.chunks = 0 then 'FINISHED' else 'SENDING' end, fired_at = ${now},
      complete_at = case when c.chunks = 0 then ${now}::timestamptz end, target_count = c.targets, chunks_left = c.chunks,
      summed = c.chunks = 0
    from counted c where f.id = c.firing_id returning f.message_id, c.chunks, c.targets
  )
  update message m set target_count = m.target_count + s.targets,
    state = case when m.kind = 'scheduled' then m.state when s.chunks = 0 then 'FINISHED' else 'FIRED' end,
    complete_at = case when m.kind <> 'scheduled' and s.chunks = 0 then ${now}::timestamptz else m.complete_at end
  from (select message_id, sum(chunks) as chunks, sum(targets) as targets from fired group by message_id) s
  where m.id = s.message_id`;

export async function markExpanded(
  sql: Sql,
  firingId: string,
  { targets, chunks }: Pick<ExpandedPage, 'targets' | 'chunks'>,
  now: Date,
): Promise<void> {
  await sql.query(
    `with counted as (select $1::bigint as firing_id, $2::int as chunks, $3::int as targets), ${markExpandedAt('$4')}`,
    [firingId, chunks, targets, now],
  );
}

/**
 * READY → FAIL, STALE or CANCELED: nothing was handed over. Its message ends with it, unless the message is scheduled. Does
 * nothing and returns false when another process has expanded or ended the firing since.
 */
export function endFiring(
  sql: Sql,
  firing: ReadyFiring,
  state: 'FAIL' | 'STALE' | 'CANCELED',
  now: Date,
): Promise<boolean> {
  return anyRow(
    sql,
    `with ended as (
       update firing set state = $2, complete_at = $3 where id = $1 and state = 'READY' returning message_id
     ), message_ended as (
       update message m set state = $2, complete_at = $3 from ended
       where m.id = ended.message_id and m.kind <> 'scheduled'
     )
     select message_id from ended`,
    [firing.id, state, now],
  );
}

/**
 * Counts a failed attempt of each firing, outside the transaction that failed. Returns the firings that have had `most` attempts.
 */
export async function countAttempts(sql: Sql, firingIds: readonly string[], most: number): Promise<string[]> {
  const rows = await sql.query<{ id: string; attempts: number }>(
    `update firing set attempts = attempts + 1 where id = any($1::bigint[]) and state = 'READY' returning id, attempts`,
    [firingIds],
  );
  return rows.filter(({ attempts }) => attempts >= most).map(({ id }) => id);
}
