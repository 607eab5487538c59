// Named SQL of chunks: claim, renew, and what is to be handed over. A claim is a lease: whoever records must still hold
// it, so of two that think so exactly one's outcomes are kept. Leases run by the database's own clock: they are lengths
// of real time shared by all replicas, which neither a stepped clock nor one process's monotonic count can give.
import type { Sql } from '../../platform/database/database.js';
import { prepared } from '../../platform/database/pooled-database.js';
import type { DeviceType } from '../../push-contract/statuses.js';
import type { Variant } from './render.js';

export interface ClaimedChunk {
  readonly firingId: string;
  readonly chunkNo: number;
  /** Above 1: another claim was lost before. */
  readonly claims: number;
  /** Parallel lists. A null token: the device was removed, deactivated or moved to another user meanwhile. */
  readonly tokens: readonly (string | null)[];
  readonly deviceTypes: readonly DeviceType[];
  readonly languages: readonly string[];
}

/** `spread`: low chunk numbers first, so that small messages pass big ones. `oldest`: the oldest firing first. */
export type ClaimOrder = 'spread' | 'oldest' | 'lost';

const PICKS: Readonly<Record<ClaimOrder, string>> = {
  spread: `state = 'READY' order by chunk_no, firing_id`,
  oldest: `state = 'READY' order by firing_id, chunk_no`,
  lost: `state = 'CLAIMED' and lease_until < clock_timestamp() order by lease_until`,
};

/** Devices of a small chunk: as in the index fan_out_chunk_small. */
const SMALL_CHUNK = 20;

/** Small chunks claimed at once. */
const RUN_SIZE = 200;

/**
 * The first chunk of an order, and with a small one the oldest small ones beside it; but a lost one alone, since it may
 * be what its process was lost with. Tokens are read with the claim, in the chunk's order; one JSON text is an order
 * faster to parse than an array.
 */
const claimIn = (order: ClaimOrder): string =>
  prepared(`
  with first as materialized (
    select firing_id, chunk_no, targets from fan_out_chunk where ${PICKS[order]} limit 1 for update skip locked
  ), beside as materialized (
    select firing_id, chunk_no from fan_out_chunk
    where state = 'READY' and targets <= ${SMALL_CHUNK}
      and (select ${order === 'lost' ? 'false' : `targets <= ${SMALL_CHUNK}`} from first)
    order by firing_id, chunk_no limit ${RUN_SIZE} for update skip locked
  ), pick as (
    select firing_id, chunk_no from first union select firing_id, chunk_no from beside
  ), claimed as (
    update fan_out_chunk c set state = 'CLAIMED', claimed_by = $1, claims = c.claims + 1,
      lease_until = clock_timestamp() + $2::int * interval '1 millisecond'
    from pick where c.firing_id = pick.firing_id and c.chunk_no = pick.chunk_no returning c.*
  )
  select c.firing_id as "firingId", c.chunk_no as "chunkNo", c.claims,
    to_json(c.device_types) as "deviceTypes", to_json(c.languages) as languages,
    (select json_agg(case when d.active and d.user_key = t.user_key then d.device_token end order by t.place)
     from unnest(c.device_ids, c.user_keys) with ordinality as t(device_id, user_key, place)
     left join device d on d.id = t.device_id) as tokens
  from claimed c order by c.firing_id, c.chunk_no`);

const CLAIM: Readonly<Record<ClaimOrder, string>> = {
  spread: claimIn('spread'),
  oldest: claimIn('oldest'),
  lost: claimIn('lost'),
};

/** One big chunk, or up to RUN_SIZE small ones; none when the order has none. */
export async function claimChunks(
  sql: Sql,
  order: ClaimOrder,
  worker: string,
  leaseMs: number,
): Promise<ClaimedChunk[]> {
  return sql.query<ClaimedChunk>(CLAIM[order], [worker, leaseMs]);
}

/** Those that are still the worker's. */
export async function renewLeases(
  sql: Sql,
  chunks: readonly ClaimedChunk[],
  worker: string,
  leaseMs: number,
): Promise<void> {
  await sql.query(
    `update fan_out_chunk c set lease_until = clock_timestamp() + $4::int * interval '1 millisecond'
     from unnest($1::bigint[], $2::int[]) as held(firing_id, chunk_no)
     where c.firing_id = held.firing_id and c.chunk_no = held.chunk_no and c.claimed_by = $3 and c.state = 'CLAIMED'`,
    [chunks.map((one) => one.firingId), chunks.map((one) => one.chunkNo), worker, leaseMs],
  );
}

export interface FiringRequest {
  readonly firingId: string;
  /** Of the firing's message, JSON text. */
  readonly request: string;
}

export async function requestsOfFirings(sql: Sql, firingIds: readonly string[]): Promise<FiringRequest[]> {
  return sql.query<FiringRequest>(
    `select f.id as "firingId", m.request from firing f join message m on m.id = f.message_id
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
