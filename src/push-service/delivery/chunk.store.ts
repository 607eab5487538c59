// Named SQL of chunks: which queues have some, the claim, its frontier and its lease, and what is to be handed over. A
// claim is a lease, fenced by its number: whoever moves the frontier or records must still hold it, so of two that think
// so exactly one's outcomes are kept. Leases and waits run by the database's own clock: they are lengths of real time
// shared by all replicas, which neither a stepped clock nor one process's monotonic count can give.
import type { Sql } from '../../platform/database/database.js';
import { prepared } from '../../platform/database/pooled-database.js';
import type { DeviceType } from '../../push-contract/statuses.js';
import { suppressedBecause } from './consent.js';
import type { Variant } from '../../push-contract/payload/render.js';

/** Devices of one service and type: they are reached by one credential. */
export interface Queue {
  readonly serviceId: string;
  readonly deviceType: DeviceType;
}

/**
 * The queues that have something, in order: a loose scan of the index fan_out_chunk_oldest, one probe a queue. For 40 of
 * them 0.6 ms, however many chunks they have. Locks nothing.
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

export interface ClaimedChunk {
  readonly firingId: string;
  readonly chunkNo: number;
  /** The fence of this claim. */
  readonly claims: number;
  /** Claims before it that ended in order. */
  readonly passes: number;
  /** Those of them whose devices the provider had refused for a while. */
  readonly refusals: number;
  readonly messageId: string;
  /** The message was cancelled since it was fired. */
  readonly isCanceled: boolean;
  readonly notAfter: Date | null;
  readonly notAfterReason: string | null;
  /** Why a user gets it no more, by place; null where all still do. */
  readonly suppressed: Readonly<Record<number, string>> | null;
  /** Parallel lists; null where the end is over. A null token: the device was removed, deactivated or moved to another user. */
  readonly tokens: readonly (string | null)[] | null;
  /** When each was registered last, milliseconds since 1970. */
  readonly registeredAt: readonly (number | null)[] | null;
  readonly deviceIds: readonly (string | number)[];
  readonly languages: readonly string[];
}

/** `spread`: low chunk numbers first, so that small messages pass big ones. `oldest`: what is due again, then the oldest firing. */
export type ClaimOrder = 'spread' | 'oldest';

/** Devices of a small chunk: as in the index fan_out_chunk_small. */
const SMALL_CHUNK = 20;

/** Small chunks claimed at once. */
const RUN_SIZE = 200;

const READY_ONE = `select firing_id, chunk_no, targets <= ${SMALL_CHUNK} and claims = passes as is_small from fan_out_chunk
    where state = 'READY' and service_id = $3 and device_type = $4`;
const LOCK_ONE = 'limit 1 for update skip locked';

const FIRST: Readonly<Record<ClaimOrder, string>> = {
  spread: `first as materialized (${READY_ONE} order by chunk_no, firing_id ${LOCK_ONE})`,
  oldest: `due as materialized (
    ${READY_ONE} and refusals > 0 order by firing_id, chunk_no ${LOCK_ONE}
  ), oldest as materialized (
    ${READY_ONE} and not exists (select from due) order by firing_id, chunk_no ${LOCK_ONE}
  ), first as (select * from due union all select * from oldest)`,
};

/** Consent is looked at again in what was claimed before, and in what lay for so long. */
const JUST_FIRED = `interval '1 minute'`;

/**
 * The first chunk of a queue by an order (indexes fan_out_chunk_spread, fan_out_chunk_due, fan_out_chunk_oldest), and with a
 * small one the oldest small ones beside it (fan_out_chunk_small); but one whose claim was lost alone, since it may be what
 * its process was lost with. Rows that others hold are passed over. Nothing is handed over yet: the frontier is moved before
 * the first slice. Tokens are read with the claim, unless its end is over, in the index's order: one walk of device_pkey for
 * all of them, a third of the time of as many look-ups by place. That is a big chunk's order as well (expandPage), so if all
 * are there, active and their users', no key is sent to say so. One JSON text is an order faster to parse than an array.
 */
const claimIn = (order: ClaimOrder): string =>
  prepared(`
  with ${FIRST[order]}, beside as materialized (
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
      select array_agg(d.id) as ids, array_agg(case when d.active then d.user_key end) as owners,
             json_agg(d.device_token) as tokens, json_agg(date_part('epoch', d.updated_at) * 1000) as registrations
      from device d where d.id = any(c.device_ids) and (c.not_after is null or c.not_after > $5)) found
    cross join lateral (select found.ids = c.device_ids and found.owners = c.user_keys as is_whole) compared
  order by c.firing_id, c.chunk_no`);

const CLAIM: Readonly<Record<ClaimOrder, string>> = {
  spread: claimIn('spread'),
  oldest: claimIn('oldest'),
};

export interface Claiming {
  readonly worker: string;
  readonly leaseMs: number;
  readonly now: Date;
}

type ClaimedRow = Omit<ClaimedChunk, 'tokens' | 'registeredAt'> & {
  /** Parallel lists of the devices that are there; null for none, or where the end is over. */
  readonly foundTokens: readonly string[] | null;
  readonly registrations: readonly number[] | null;
  /** Null where those are all of the chunk's, in its order. No owner: deactivated. */
  readonly userKeys: readonly (string | number)[] | null;
  readonly foundIds: readonly (string | number)[] | null;
  readonly owners: readonly (string | number | null)[] | null;
};

/** One big chunk, or up to RUN_SIZE small ones; none when the queue has none by now. */
export async function claimChunks(
  sql: Sql,
  { serviceId, deviceType }: Queue,
  order: ClaimOrder,
  { worker, leaseMs, now }: Claiming,
): Promise<ClaimedChunk[]> {
  const rows = await sql.query<ClaimedRow>(CLAIM[order], [worker, leaseMs, serviceId, deviceType, now]);
  return rows.map((row) => inPlace(row));
}

/** What was found lies in the order of ids, which a small chunk need not have; what is not found in its turn is looked up. */
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
    const isThere = at !== undefined;
    tokens.push(isThere && owners?.[at] === userKeys?.[place] ? (foundTokens?.[at] ?? null) : null);
    registeredAt.push(isThere ? (registrations?.[at] ?? null) : null);
    if (isThere) next = at + 1;
  });
  return { ...chunk, tokens, registeredAt };
}

/** A claim as it stands: its key, its fence, and how far it is handed over. */
export interface Frontier {
  readonly firingId: string;
  readonly chunkNo: number;
  readonly claims: number;
  readonly handed: number;
}

/** By the primary key; each row locked as it comes. Arrays are not rewritten: 1 to 2 ms for four chunks. */
const ADVANCE = prepared(`
  update fan_out_chunk c set handed = greatest(c.handed, held.handed),
    lease_until = clock_timestamp() + $6::int * interval '1 millisecond'
  from unnest($1::bigint[], $2::int[], $3::int[], $4::int[]) as held(firing_id, chunk_no, claims, handed)
  where c.firing_id = held.firing_id and c.chunk_no = held.chunk_no and c.claims = held.claims
    and c.claimed_by = $5 and c.state = 'CLAIMED'
  returning c.firing_id as "firingId", c.chunk_no as "chunkNo"`);

/** Before a slice leaves: frontier and lease in one. Returns those that are still the worker's, as `firingId chunkNo`. */
export async function advance(
  sql: Sql,
  claims: readonly Frontier[],
  worker: string,
  leaseMs: number,
): Promise<ReadonlySet<string>> {
  const rows = await sql.query<{ firingId: string; chunkNo: number }>(ADVANCE, [
    claims.map((one) => one.firingId),
    claims.map((one) => one.chunkNo),
    claims.map((one) => one.claims),
    claims.map((one) => one.handed),
    worker,
    leaseMs,
  ]);
  return new Set(rows.map(({ firingId, chunkNo }) => `${firingId} ${chunkNo}`));
}

/** Chunks made READY again at once. */
const DUE = 500;

/** LATER → READY of those whose wait is over (index fan_out_chunk_later). Returns how many. */
export async function wakeDue(sql: Sql): Promise<number> {
  const rows = await sql.query(
    `update fan_out_chunk c set state = 'READY', not_before = null
     from (select firing_id, chunk_no from fan_out_chunk where state = 'LATER' and not_before <= clock_timestamp()
           order by not_before limit ${DUE} for update skip locked) due
     where c.firing_id = due.firing_id and c.chunk_no = due.chunk_no returning 1`,
  );
  return rows.length;
}

export interface FiringRequest {
  readonly firingId: string;
  readonly firedAt: Date;
  /** Of the firing's message, JSON text. */
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

/** Kept for those who ask what a device was handed; writing a variant again does nothing. */
export async function keepVariants(sql: Sql, variants: readonly FiringVariant[]): Promise<void> {
  await sql.query(
    `insert into payload (firing_id, device_type, language, headers, body)
     select firing_id, device_type, language, headers::json, body
     from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[])
            as v(firing_id, device_type, language, headers, body)
     on conflict do nothing`,
    [
      variants.map((one) => one.firingId),
      variants.map((one) => one.deviceType),
      variants.map((one) => one.language),
      variants.map((one) => JSON.stringify(one.headers)),
      variants.map((one) => one.body),
    ],
  );
}
