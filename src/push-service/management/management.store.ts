// Named SQL of management: accounts, keys, services. The gateway has its own look-up in access.store.ts.
import type {
  AccessKeyRow,
  ApiKeyRow,
  DeliveryRow,
  ServiceRow,
  TakenMessageRow,
} from './management-answers.js';
import { anyRow, firstRow, type Sql } from '../../platform/database/database.js';

/** The settings of a service. */
type ServiceSettings = Omit<ServiceRow, 'serviceId' | 'accountId' | 'createdAt' | 'updatedAt'>;

/** The settings that a caller gives. The others stay as they are, or have the column's default. */
export type GivenSettings = { readonly [Name in keyof ServiceSettings]?: ServiceSettings[Name] | undefined };

/** The column of each setting. Every statement about a service is made from this list. */
const COLUMN_OF: Readonly<Record<keyof ServiceSettings, string>> = {
  description: 'description',
  zone: 'zone',
  answerTimes: 'answer_times',
  apiKeyRequired: 'api_key_required',
  strictOptions: 'strict_options',
  suspended: 'suspended',
  ratePerSecond: 'rate_per_second',
  rateBurst: 'rate_burst',
  quotaPerDay: 'quota_per_day',
};
const SETTINGS = Object.keys(COLUMN_OF) as (keyof ServiceSettings)[];

/** The driver would return a bigint as text. */
const READ: Partial<Record<keyof ServiceSettings, string>> = { quotaPerDay: 'quota_per_day::float8' };

const SERVICE = [
  'id as "serviceId"',
  'account_id as "accountId"',
  ...SETTINGS.map((name) => `${READ[name] ?? COLUMN_OF[name]} as "${name}"`),
  'created_at as "createdAt"',
  'updated_at as "updatedAt"',
].join(', ');

/** Returns whether the account is new. */
export function ensureAccount(sql: Sql, accountId: string, now: Date): Promise<boolean> {
  return anyRow(
    sql,
    'insert into account (id, created_at) values ($1, $2) on conflict do nothing returning id',
    [accountId, now],
  );
}

/** Undefined when the id is taken. A removed service keeps its id. */
export function insertService(
  sql: Sql,
  { id, accountId }: { readonly id: string; readonly accountId: string },
  settings: GivenSettings,
  now: Date,
): Promise<ServiceRow | undefined> {
  const given = SETTINGS.filter((name) => settings[name] !== undefined);
  return firstRow<ServiceRow>(
    sql,
    `insert into service (id, account_id, created_at, updated_at${given.map((name) => `, ${COLUMN_OF[name]}`).join('')})
     values ($1, $2, $3, $3${given.map((_, index) => `, $${index + 4}`).join('')})
     on conflict do nothing returning ${SERVICE}`,
    [id, accountId, now, ...given.map((name) => settings[name])],
  );
}

/** Writes only the settings that are given, so that what another administrator changes meanwhile stays. */
export function updateService(
  sql: Sql,
  id: string,
  settings: GivenSettings,
  now: Date,
): Promise<ServiceRow | undefined> {
  const given = SETTINGS.filter((name) => settings[name] !== undefined);
  return firstRow<ServiceRow>(
    sql,
    `update service set updated_at = $2${given.map((name, index) => `, ${COLUMN_OF[name]} = $${index + 3}`).join('')}
     where id = $1 and removed_at is null returning ${SERVICE}`,
    [id, now, ...given.map((name) => settings[name])],
  );
}

export function findService(sql: Sql, id: string): Promise<ServiceRow | undefined> {
  return firstRow<ServiceRow>(sql, `select ${SERVICE} from service where id = $1 and removed_at is null`, [
    id,
  ]);
}

export async function listServices(sql: Sql): Promise<ServiceRow[]> {
  return sql.query<ServiceRow>(`select ${SERVICE} from service where removed_at is null order by id`);
}

const ACCESS_KEY = `access_key as "accessKey", account_id as "accountId", enabled, created_at as "createdAt"`;

/**
 * push-interface.md §5: takes one of the account's two places; returns false when both are taken. The insert itself tries a
 * place: it waits for another transaction that inserts at the same place, and then the next place is tried.
 */
export async function insertAccessKey(
  sql: Sql,
  { accountId, accessKey, secretSealed }: { accountId: string; accessKey: string; secretSealed: string },
  now: Date,
): Promise<boolean> {
  const insert = `
    insert into access_key (access_key, account_id, position, secret_sealed, created_at) values ($2, $1, $5, $3, $4)
    on conflict (account_id, position) do nothing returning 1`;
  const given = [accountId, accessKey, secretSealed, now];
  return (await anyRow(sql, insert, [...given, 1])) || anyRow(sql, insert, [...given, 2]);
}

export async function listAccessKeys(sql: Sql, accountId: string): Promise<AccessKeyRow[]> {
  return sql.query<AccessKeyRow>(
    `select ${ACCESS_KEY} from access_key where account_id = $1 order by position`,
    [accountId],
  );
}

export function enableAccessKey(
  sql: Sql,
  accessKey: string,
  enabled: boolean,
): Promise<AccessKeyRow | undefined> {
  return firstRow<AccessKeyRow>(
    sql,
    `update access_key set enabled = $2 where access_key = $1 returning ${ACCESS_KEY}`,
    [accessKey, enabled],
  );
}

export function deleteAccessKey(sql: Sql, accessKey: string): Promise<boolean> {
  return anyRow(sql, 'delete from access_key where access_key = $1 returning access_key', [accessKey]);
}

export function accountExists(sql: Sql, accountId: string): Promise<boolean> {
  return anyRow(sql, 'select 1 from account where id = $1', [accountId]);
}

const API_KEY = `slot, active, created_at as "createdAt"`;

/** A new key replaces the old key of the slot at once. */
export async function putApiKey(
  sql: Sql,
  { serviceId, slot, hash }: { serviceId: string; slot: string; hash: Buffer },
  now: Date,
): Promise<void> {
  await sql.query(
    `insert into api_key (service_id, slot, hash, created_at) values ($1, $2, $3, $4)
     on conflict (service_id, slot) do update set hash = excluded.hash, active = true, created_at = excluded.created_at`,
    [serviceId, slot, hash, now],
  );
}

export function activateApiKey(
  sql: Sql,
  serviceId: string,
  slot: string,
  active: boolean,
): Promise<ApiKeyRow | undefined> {
  return firstRow<ApiKeyRow>(
    sql,
    `update api_key set active = $3 where service_id = $1 and slot = $2 returning ${API_KEY}`,
    [serviceId, slot, active],
  );
}

export async function listApiKeys(sql: Sql, serviceId: string): Promise<ApiKeyRow[]> {
  return sql.query<ApiKeyRow>(`select ${API_KEY} from api_key where service_id = $1 order by slot`, [
    serviceId,
  ]);
}

export function deleteApiKey(sql: Sql, serviceId: string, slot: string): Promise<boolean> {
  return anyRow(sql, 'delete from api_key where service_id = $1 and slot = $2 returning slot', [
    serviceId,
    slot,
  ]);
}

/** What each device was handed, oldest first. */
export async function findDeliveries(
  sql: Sql,
  messageId: string,
  limit: number,
  offset: number,
): Promise<DeliveryRow[]> {
  return sql.query<DeliveryRow>(
    `select f.occurrence, u.user_id as "userId", d.device_type as "deviceType", dev.device_token as "deviceToken",
            d.country, d.language, d.timezone, d.outcome, d.reason, d.handed_at as "handedAt", d.headers, d.body
     from firing f cross join lateral handed_of(f.id, $2::bigint + $3::bigint) d
     left join push_user u on u.key = d.user_key
     left join device dev on dev.id = d.device_id
     where f.message_id = $1
     order by d.handed_at, f.id, d.device_id limit $2 offset $3`,
    [messageId, limit, offset],
  );
}

/** Every message that a service has taken, oldest first. */
export async function findTakenMessages(
  sql: Sql,
  serviceId: string,
  limit: number,
  offset: number,
): Promise<TakenMessageRow[]> {
  return sql.query<TakenMessageRow>(
    `select id as "requestId", kind, state, target_count::float8 as "targetCount", sent_count::float8 as "sentCount"
     from message where service_id = $1 and kind <> 'closed' order by id limit $2 offset $3`,
    [serviceId, limit, offset],
  );
}
