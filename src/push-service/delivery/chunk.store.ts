// Named SQL of chunks: which queues have chunks, the claim with its frontier and its lease, and what is to be handed over. A
// claim is a lease, and its number is the fence: a process needs it to move the frontier and to record outcomes. So if two
// processes believe that they hold a chunk, the database keeps the outcomes of exactly one. Leases and waits go by the database's
// own clock: they are real time that all replicas share. A clock that is set does not give that, nor does the monotonic clock of
// one process.
import { columnsOf, insertRows } from '../../platform/database/row-arrays.js';
import type { Sql } from '../../platform/database/database.js';
import { prepared } from '../../platform/database/pooled-database.js';
import type { DeviceType } from '../../push-contract/statuses.js';
import { suppressedBecause } from './consent.js';
import type { Variant } from '../../push-contract/payload/render.js';

/** Chunks of one service and device type: one credential reaches their devices. */
export interface Queue {
  readonly serviceId: string;
  readonly deviceType: DeviceType;
}

/**
 * The queues that have READY chunks, in order. It is a loose scan of the index fan_out_chunk_oldest with one probe for each
 * queue: 0.6 ms for 40 queues, however many chunks they have. Locks nothing.
 */
export const READY_QUEUES = `
  with recursive queue as (
    (select service_id, device_type from fan_out_chunk where state = 'READY' order by service_id, device_type limit 1)
    union all
    select next.* from queue q cross join lateral (
      select service_id, device_type from fan_out_chunk
      where state = 'READY' and (service_id, device_type) > (q.service_id, q.device_type)
      order by service_id, device_type limit 1) next
  )`;

const LIST_QUEUES = prepared(
  `${READY_QUEUES} select service_id as "serviceId", device_type as "deviceType" from queue`,
);

export function listQueues(sql: Sql): Promise<Queue[]> {
  return sql.query<Queue>(LIST_QUEUES);
}

/** Columns: the parallel lists of a chunk's devices, and the columns of a single device. */
export const DEVICE_LISTS = 'device_ids, user_keys, countries, languages, timezones';
export const DEVICE = 'device_id, user_key, country, language, timezone';

interface ChunkId {
  readonly firingId: string;
  readonly chunkNo: number;
}

export function chunkKey({ firingId, chunkNo }: ChunkId): string {
  return `${firingId} ${chunkNo}`;
}

export interface ChunkClaim extends ChunkId {
  /** The fence: the number of this claim among the claims of the chunk. */
  readonly claims: number;
}

export interface ClaimedChunk extends ChunkClaim {
  /** How many earlier claims ended in order. */
  readonly passes: number;
  /** How many of them ended because the provider refused the devices for a while. */
  readonly refusals: number;
  readonly messageId: string;
  /** The message was cancelled after it was fired. */
  readonly isCanceled: boolean;
  readonly notAfter: Date | null;
  readonly notAfterReason: string | null;
  /** By place, why a user may not get the message any more; null where all users may. */
  readonly suppressed: Readonly<Record<number, string>> | null;
  /**
   * By place; null as a whole when `notAfter` has passed. A null token: the device was removed or deactivated, moved to another
   * user, or was registered under another type, which another provider reaches.
   */
  readonly tokens: readonly (string | null)[] | null;
  /** By place: when the device was last registered, milliseconds since 1970. */
  readonly registeredAt: readonly (number | null)[] | null;
  readonly deviceIds: readonly (string | number)[];
  readonly languages: readonly string[];
}

/**
 * `spread`: low chunk numbers first, so that small messages pass big ones. `oldest`: chunks that go again, then the oldest
 * firing.
 */
export type ClaimOrder = 'spread' | 'oldest';

/** The most devices of a small chunk, as in the index fan_out_chunk_small. */
const SMALL_CHUNK = 20;

/** How many small chunks are claimed at once. */
const RUN_SIZE = 200;

const READY_ONE = `select firing_id, chunk_no, targets <= ${SMALL_CHUNK} and claims = passes as is_small from fan_out_chunk
    where state = 'READY' and service_id = $3 and device_type = $4`;
const LOCK_ONE = 'limit 1 for update skip locked';

/** Consent is checked again when a chunk was claimed before, or was fired longer ago than this. */
const JUST_FIRED = `interval '1 minute'`;

/**
 * Claims the chunk that `first` picks. If it is small, claims the oldest small chunks with it (index fan_out_chunk_small). A
 * chunk whose claim was lost is claimed alone, because it may be what killed its process. Passes over rows that others hold.
 * Hands nothing over: the frontier moves before the first slice. Unless `notAfter` has passed, tokens are read with the claim, in
 * the order of device ids: one walk of device_pkey takes a third of the time that a look-up for each place takes. A big chunk has
 * that order itself (expandPage). So if all devices are there, active, of the chunk's type and still with their users, the
 * statement returns no ids and no owners. One JSON text parses ten times faster than an array.
 */
const claimWith = (first: string): string =>
  prepared(`
  with ${first}, beside as materialized (
    select firing_id, chunk_no from fan_out_chunk
    where state = 'READY' and service_id = $3 and device_type = $4 and targets <= ${SMALL_CHUNK}
      and claims = passes and (select is_small from first)
    order by firing_id, chunk_no limit ${RUN_SIZE} for update skip locked
  ), pick as (
    select firing_id, chunk_no from first union select firing_id, chunk_no from beside
  ), claimed as (
    update fan_out_chunk c set state = 'CLAIMED', claimed_by = $1, claims = c.claims + 1,
      lease_until = clock_timestamp() + $2::int * interval '1 millisecond'
    from pick where c.firing_id = pick.firing_id and c.chunk_no = pick.chunk_no returning c.*
  )
  select c.firing_id as "firingId", c.chunk_no as "chunkNo", c.claims, c.passes, c.refusals, f.message_id as "messageId",
    m.state = 'CANCELED' as "isCanceled", c.not_after as "notAfter", c.not_after_reason as "notAfterReason",
    to_json(c.device_ids) as "deviceIds", to_json(c.languages) as languages, found.tokens as "foundTokens", found.registrations,
    to_json(case when not is_whole then c.user_keys end) as "userKeys",
    to_json(case when not is_whole then found.ids end) as "foundIds", to_json(case when not is_whole then found.owners end) as owners,
    case when c.claims > 1 or f.fired_at < $5::timestamptz - ${JUST_FIRED} then (
      select json_object_agg(t.place - 1, why.reason)
      from unnest(c.user_keys) with ordinality as t(user_key, place) join push_user u on u.key = t.user_key
        cross join lateral (select ${suppressedBecause(`m.message_type = 'AD'`, '$5::timestamptz')} as reason) why
      where why.reason is not null) end as suppressed
  from claimed c join firing f on f.id = c.firing_id join message m on m.id = f.message_id
    cross join lateral (
      select array_agg(d.id) as ids, array_agg(case when d.active and d.device_type = c.device_type then d.user_key end) as owners,
             json_agg(d.device_token) as tokens, json_agg(date_part('epoch', d.updated_at) * 1000) as registrations
      from device d where d.id = any(c.device_ids) and (c.not_after is null or c.not_after > $5)) found
    cross join lateral (select found.ids = c.device_ids and found.owners = c.user_keys as is_whole) compared
  order by c.firing_id, c.chunk_no`);

/** Indexes fan_out_chunk_spread, fan_out_chunk_due and fan_out_chunk_oldest. */
const CLAIM: Readonly<Record<ClaimOrder, string>> = {
  spread: claimWith(`first as materialized (${READY_ONE} order by chunk_no, firing_id ${LOCK_ONE})`),
  oldest: claimWith(`due as materialized (
    ${READY_ONE} and refusals > 0 order by firing_id, chunk_no ${LOCK_ONE}
  ), oldest as materialized (
    ${READY_ONE} and not exists (select from due) order by firing_id, chunk_no ${LOCK_ONE}
  ), first as (select * from due union all select * from oldest)`),
};

/** Who claims, for how long (real milliseconds), and the time of the wall clock. */
export interface Claimer {
  readonly worker: string;
  readonly leaseMs: number;
  readonly now: Date;
}

type ClaimedRow = Omit<ClaimedChunk, 'tokens' | 'registeredAt'> & {
  /** Parallel lists of the devices that were found; null when no device was found, or when `notAfter` has passed. */
  readonly foundTokens: readonly string[] | null;
  readonly registrations: readonly number[] | null;
  /**
   * Null when all devices of the chunk were found, in its order. A device that is deactivated or of another type has no owner.
   */
  readonly userKeys: readonly (string | number)[] | null;
  readonly foundIds: readonly (string | number)[] | null;
  readonly owners: readonly (string | number | null)[] | null;
};

/** Returns one big chunk, or up to RUN_SIZE small ones; none when the queue has become empty. */
export async function claimChunks(
  sql: Sql,
  { serviceId, deviceType }: Queue,
  order: ClaimOrder,
  { worker, leaseMs, now }: Claimer,
): Promise<ClaimedChunk[]> {
  const rows = await sql.query<ClaimedRow>(CLAIM[order], [worker, leaseMs, serviceId, deviceType, now]);
  return rows.map(inPlace);
}

/** The devices come in the order of their ids. A small chunk may have another order: then a device is looked up by its id. */
function inPlace({
  userKeys,
  foundIds,
  owners,
  foundTokens,
  registrations,
  ...chunk
}: ClaimedRow): ClaimedChunk {
  if (foundIds === null) return { ...chunk, tokens: foundTokens, registeredAt: registrations };
  let indexes: ReadonlyMap<string | number, number> | undefined;
  let next = 0;
  const tokens: (string | null)[] = [];
  const registeredAt: (number | null)[] = [];
  const lookUp = (id: string | number): number | undefined => {
    indexes ??= new Map(foundIds.map((found, index) => [found, index]));
    return indexes.get(id);
  };
  chunk.deviceIds.forEach((id, place) => {
    const at = foundIds[next] === id ? next : lookUp(id);
    const isFound = at !== undefined;
    tokens.push(isFound && owners?.[at] === userKeys?.[place] ? (foundTokens?.[at] ?? null) : null);
    registeredAt.push(isFound ? (registrations?.[at] ?? null) : null);
    if (isFound) next = at + 1;
  });
  return { ...chunk, tokens, registeredAt };
}

/** A claim, and how many of its places may have left. */
export interface Frontier extends ChunkClaim {
  readonly handed: number;
}

const FRONTIERS = columnsOf<Frontier>('firing_id bigint, chunk_no int, claims int, handed int');

/**
 * Finds rows by the primary key and locks each as it comes. PostgreSQL does not rewrite the arrays: 1 to 2 ms for four chunks.
 */
const ADVANCE = prepared(`
  update fan_out_chunk c set handed = greatest(c.handed, held.handed),
    lease_until = clock_timestamp() + $6::int * interval '1 millisecond'
  from ${FRONTIERS.from} held
  where c.firing_id = held.firing_id and c.chunk_no = held.chunk_no and c.claims = held.claims
    and c.claimed_by = $5 and c.state = 'CLAIMED'
  returning c.firing_id as "firingId", c.chunk_no as "chunkNo"`);

/** Moves frontiers and renews leases before a slice leaves. Returns the keys of the chunks that the worker still holds. */
export async function advance(
  sql: Sql,
  claims: readonly Frontier[],
  worker: string,
  leaseMs: number,
): Promise<ReadonlySet<string>> {
  const rows = await sql.query<ChunkId>(ADVANCE, [...FRONTIERS.parametersOf(claims), worker, leaseMs]);
  return new Set(rows.map(chunkKey));
}

/** How many chunks one statement makes READY again. */
const DUE = 500;

/** LATER → READY when the wait is over (index fan_out_chunk_later). Passes over rows that others hold. Returns how many. */
export async function wakeDue(sql: Sql): Promise<number> {
  const rows = await sql.query(
    `update fan_out_chunk c set state = 'READY', not_before = null
     from (select firing_id, chunk_no from fan_out_chunk where state = 'LATER' and not_before <= clock_timestamp()
           order by not_before limit ${DUE} for update skip locked) due
     where c.firing_id = due.firing_id and c.chunk_no = due.chunk_no returning 1`,
  );
  return rows.length;
}

/**
 * LATER → READY for a queue whose credential has changed: a wait that the provider asked for under the former credential does not
 * apply any more. Call it in the transaction of the change, after the change. It walks the index fan_out_chunk_later.
 */
export async function wakeChunksOf(sql: Sql, { serviceId, deviceType }: Queue): Promise<void> {
  await sql.query(
    `update fan_out_chunk set state = 'READY', not_before = null
     where state = 'LATER' and service_id = $1 and device_type = $2`,
    [serviceId, deviceType],
  );
}

export interface FiringRequest {
  readonly firingId: string;
  readonly firedAt: Date;
  /** The request of the firing's message, as JSON text. */
  readonly request: string;
}

export async function requestsOfFirings(sql: Sql, firingIds: readonly string[]): Promise<FiringRequest[]> {
  return sql.query<FiringRequest>(
    `select f.id as "firingId", f.fired_at as "firedAt", m.request from firing f join message m on m.id = f.message_id
     where f.id = any($1::bigint[])`,
    [firingIds],
  );
}

export interface FiringVariant extends Variant {
  readonly firingId: string;
}

/** Keeps the texts that devices are handed, so that they can be looked up later. Writing a variant again does nothing. */
export async function keepVariants(sql: Sql, variants: readonly FiringVariant[]): Promise<void> {
  await insertRows(sql, {
    table: 'payload',
    columns: 'firing_id bigint, device_type text, language text, headers json, body text',
    rows: variants.map((one) => ({ ...one, headers: JSON.stringify(one.headers) })),
    ending: 'on conflict do nothing',
  });
}
