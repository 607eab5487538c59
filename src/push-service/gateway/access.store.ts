// Named SQL of the gateway: one look-up of what access keys may do, and the daily quotas.
import type { Sql } from '../../platform/database/database.js';
import type { ZoneOffsets } from '../../zone-rules/zone-offsets.js';
import type { SealedColumn } from '../../platform/secrets/sealed.js';

/** The secret of an access key. */
export const SECRET: SealedColumn = { table: 'access_key', column: 'secret_sealed', key: ['access_key'] };

export interface ServiceFacts {
  readonly id: string;
  /** The offsets of its zone. Date-times in answers are written by them. */
  readonly offsets: ZoneOffsets;
  readonly answerTimes: 'local' | 'offset';
  readonly apiKeyRequired: boolean;
  /** SHA-256, hex, of the active API keys. */
  readonly apiKeyHashes: readonly string[];
  readonly strictOptions: boolean;
  readonly suspended: boolean;
  readonly removed: boolean;
  readonly ratePerSecond: number | null;
  readonly rateBurst: number | null;
  readonly quotaPerDay: number | null;
}

export interface AccessRow {
  readonly accessKey: string;
  readonly secretSealed: string;
  readonly enabled: boolean;
  readonly services: readonly (Omit<ServiceFacts, 'offsets'> & { readonly zone: string })[];
}

/** Returns a row for each key, in their order, with every service of the key's account; undefined for an unknown key. */
export async function findAccess(
  sql: Sql,
  accessKeys: readonly string[],
): Promise<(AccessRow | undefined)[]> {
  const rows = await sql.query<AccessRow>(
    // Primary keys, and index service_account.
    `select k.access_key as "accessKey", k.secret_sealed as "secretSealed", k.enabled,
            coalesce((select json_agg(json_build_object(
              'id', s.id, 'zone', s.zone, 'answerTimes', s.answer_times, 'apiKeyRequired', s.api_key_required,
              'apiKeyHashes', coalesce((select json_agg(encode(a.hash, 'hex')) from api_key a
                                        where a.service_id = s.id and a.active), '[]'::json),
              'strictOptions', s.strict_options, 'suspended', s.suspended, 'removed', s.removed_at is not null,
              'ratePerSecond', s.rate_per_second, 'rateBurst', s.rate_burst, 'quotaPerDay', s.quota_per_day))
            from service s where s.account_id = k.account_id), '[]'::json) as services
     from access_key k where k.access_key = any($1::text[])`,
    [accessKeys],
  );
  const known = new Map(rows.map((row) => [row.accessKey, row]));
  return accessKeys.map((accessKey) => known.get(accessKey));
}

/** Takes up to `wanted` requests of the day's quota. Returns how many it got. */
export async function takeQuota(
  sql: Sql,
  { serviceId, day, wanted, quota }: { serviceId: string; day: string; wanted: number; quota: number },
): Promise<number> {
  const [row] = await sql.query<{ taken: number }>(
    // The upsert locks the row, so replicas take turns and together never exceed the quota.
    `insert into quota_use as q (service_id, day, used, taken)
     values ($1, $2::date, least($3::bigint, $4::bigint), least($3::bigint, $4::bigint))
     on conflict (service_id, day) do update
       set taken = greatest(0, least($3::bigint, $4::bigint - q.used)),
           used = q.used + greatest(0, least($3::bigint, $4::bigint - q.used))
     returning taken::int as taken`,
    [serviceId, day, wanted, quota],
  );
  return row?.taken ?? 0;
}
