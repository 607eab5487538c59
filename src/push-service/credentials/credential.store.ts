// Named SQL of provider credentials. Only openCredential reads a secret, in its sealed form. No other statement returns one.
import { anyRow, firstRow, type Sql } from '../../platform/database/database.js';
import type { SealedColumn } from '../../platform/secrets/sealed.js';
import type { CredentialNews, CredentialRef, CredentialReport } from '../delivery/provider-port.js';
import { wakeChunksOf } from '../delivery/chunk.store.js';
import { CREDENTIALS_CHANGED } from '../loop-names.js';
import type { CredentialRow } from '../management/management-answers.js';

export const CREDENTIAL_KINDS = ['fcm', 'apns'] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

/** A sealed secret is bound to this table, column and key. Resealing and health name the secret by them. */
export const CREDENTIAL_SECRET: SealedColumn = {
  table: 'provider_credential',
  column: 'secret_sealed',
  key: ['service_id', 'kind'],
};

export type CredentialSettings = CredentialRow['settings'];

const ROW = `kind, version, settings, fault, fault_since as "faultAt", warning, warned_at as "warnedAt",
  proven_at as "provenAt", checked_at as "checkedAt", check_good as "checkGood", check_says as "checkSays",
  created_at as "createdAt", updated_at as "updatedAt"`;

export interface NewCredential {
  /** Used only when the credential does not exist yet. */
  readonly id: string;
  readonly serviceId: string;
  readonly kind: CredentialKind;
  readonly settings: CredentialSettings;
  readonly secretSealed: string;
}

/**
 * Sets a credential up, or changes it to a new version, about which nothing is known yet. Undefined when there is no such
 * service.
 */
export function putCredential(
  sql: Sql,
  { id, serviceId, kind, settings, secretSealed }: NewCredential,
  now: Date,
): Promise<CredentialRow | undefined> {
  return firstRow<CredentialRow>(
    sql,
    `insert into provider_credential as c (id, service_id, kind, settings, secret_sealed, created_at, updated_at)
     select $1, id, $3, $4, $5, $6, $6 from service where id = $2 and removed_at is null
     on conflict (service_id, kind) do update
       set version = c.version + 1, settings = excluded.settings, secret_sealed = excluded.secret_sealed,
           fault = null, fault_since = null, warning = null, warned_at = null, proven_at = null,
           checked_at = null, check_good = null, check_says = null, updated_at = excluded.updated_at
     returning ${ROW}`,
    [id, serviceId, kind, JSON.stringify(settings), secretSealed, now],
  );
}

export async function listCredentials(sql: Sql, serviceId: string): Promise<CredentialRow[]> {
  return sql.query<CredentialRow>(
    `select ${ROW} from provider_credential where service_id = $1 order by kind`,
    [serviceId],
  );
}

export function deleteCredential(sql: Sql, serviceId: string, kind: CredentialKind): Promise<boolean> {
  return anyRow(sql, 'delete from provider_credential where service_id = $1 and kind = $2 returning id', [
    serviceId,
    kind,
  ]);
}

/**
 * Call it in the transaction of the change, after the change. Devices that waited for the former credential go again. With the
 * commit, all processes forget which version is current.
 */
export async function credentialChanged(sql: Sql, { serviceId, kind }: CredentialName): Promise<void> {
  await wakeChunksOf(sql, { serviceId, deviceType: kind === 'fcm' ? 'GCM' : 'APNS' });
  await sql.query(`select pg_notify('${CREDENTIALS_CHANGED}', '')`);
}

export function findCredential(
  sql: Sql,
  serviceId: string,
  kind: CredentialKind,
): Promise<{ id: string; version: number; faultSince: Date | null } | undefined> {
  return firstRow(
    sql,
    `select id, version, fault_since as "faultSince" from provider_credential where service_id = $1 and kind = $2`,
    [serviceId, kind],
  );
}

export interface SealedCredential extends Omit<NewCredential, 'id'> {
  readonly isProven: boolean;
}

/** Reads that version only. While a credential is refused it does not count as proven, so that the next accepted push is news. */
export function openCredential(
  sql: Sql,
  { id, version }: CredentialRef,
): Promise<SealedCredential | undefined> {
  return firstRow<SealedCredential>(
    sql,
    `select service_id as "serviceId", kind, settings, secret_sealed as "secretSealed",
            proven_at is not null and fault is null as "isProven"
     from provider_credential where id = $1 and version = $2`,
    [id, version],
  );
}

/** The ids that still exist. */
export async function existingCredentials(sql: Sql, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await sql.query<{ id: string }>(
    'select id from provider_credential where id = any($1::uuid[])',
    [ids],
  );
  return new Set(rows.map(({ id }) => id));
}

export interface CredentialName {
  readonly serviceId: string;
  readonly kind: CredentialKind;
}

/** What each kind of news changes, and when it is new. $3 is now, $4 the reason. */
const NEWS: Readonly<Record<CredentialNews['kind'], { readonly set: string; readonly where: string }>> = {
  proven: {
    set: 'proven_at = coalesce(proven_at, $3), fault = null, fault_since = null',
    where: '(proven_at is null or fault is not null)',
  },
  fault: {
    set: 'fault = $4, fault_since = coalesce(fault_since, $3)',
    where: '(fault is null or fault <> $4)',
  },
  warning: { set: 'warning = $4, warned_at = $3', where: 'true' },
};

/** Records news about that version only. Undefined when it was known before. */
export function recordNews(
  sql: Sql,
  { id, version }: CredentialRef,
  news: CredentialNews,
  now: Date,
): Promise<CredentialName | undefined> {
  const { set, where } = NEWS[news.kind];
  return firstRow<CredentialName>(
    sql,
    `update provider_credential set ${set} where id = $1 and version = $2 and ${where}
     returning service_id as "serviceId", kind`,
    [id, version, now, ...('reason' in news ? [news.reason] : [])],
  );
}

export interface CheckTurn extends Pick<CredentialRef, 'id' | 'version'> {
  /** Why the provider refuses it, if that is known. */
  readonly fault: string | null;
}

/**
 * Takes the turn to check a credential, not earlier than `restSeconds` after the last check, by the database's clock. Undefined:
 * there is no such credential, or it is too early.
 */
export function takeCheck(
  sql: Sql,
  serviceId: string,
  kind: CredentialKind,
  restSeconds: number,
): Promise<CheckTurn | undefined> {
  return firstRow<CheckTurn>(
    sql,
    `update provider_credential set checked_at = clock_timestamp(), check_good = null, check_says = null
     where service_id = $1 and kind = $2
       and (checked_at is null or checked_at <= clock_timestamp() - make_interval(secs => $3))
     returning id, version, fault`,
    [serviceId, kind, restSeconds],
  );
}

/**
 * Records the report of a check. A refused credential that is good now gets a new version: every process begins anew with it, and
 * none waits for the end of a pause. Returns whether there is a new version.
 */
export async function recordCheck(
  sql: Sql,
  { id, version }: Pick<CredentialRef, 'id' | 'version'>,
  { good, says }: CredentialReport,
): Promise<boolean> {
  const row = await firstRow<{ version: number }>(
    sql,
    `update provider_credential
       set check_good = $3, check_says = $4,
           version = version + case when $3 and fault is not null then 1 else 0 end,
           fault = case when $3 then null else fault end,
           fault_since = case when $3 then null else fault_since end
     where id = $1 and version = $2 returning version`,
    [id, version, good, says],
  );
  return row !== undefined && row.version !== version;
}

export interface TroubledCredential extends CredentialName {
  readonly fault: string | null;
  readonly faultSince: Date | null;
  readonly warning: string | null;
}

/** Credentials that need attention: those that are refused now, and those with a warning since `warnedSince`. */
export async function listTroubled(sql: Sql, warnedSince: Date): Promise<TroubledCredential[]> {
  return sql.query<TroubledCredential>(
    `select service_id as "serviceId", kind, fault, fault_since as "faultSince",
            case when warned_at >= $1 then warning end as warning
     from provider_credential where fault is not null or warned_at >= $1 order by service_id, kind`,
    [warnedSince],
  );
}
