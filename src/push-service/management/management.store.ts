// Named SQL of management: accounts, keys, services. Never read by the gateway, whose own look-up is access.store.ts.
import { rowsOf, type Sql } from '../../platform/database/database.js';

export interface ServiceSettings {
  readonly description: string | null;
  readonly zone: string;
  readonly answerTimes: 'local' | 'offset';
  readonly apiKeyRequired: boolean;
  readonly strictOptions: boolean;
  readonly suspended: boolean;
  readonly ratePerSecond: number | null;
  readonly rateBurst: number | null;
  readonly quotaPerDay: number | null;
}

export interface ServiceRow extends ServiceSettings {
  readonly serviceId: string;
  readonly accountId: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Each in its column; every statement on a service is made of this list. */
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

/** A bigint would come as text. */
const READ: Partial<Record<keyof ServiceSettings, string>> = { quotaPerDay: 'quota_per_day::float8' };

const SERVICE = [
  'id AS "serviceId"',
  'account_id AS "accountId"',
  ...SETTINGS.map((name) => `${READ[name] ?? COLUMN_OF[name]} AS "${name}"`),
  'created_at AS "createdAt"',
  'updated_at AS "updatedAt"',
].join(', ');

/** Returns whether there was none. */
export async function ensureAccount(sql: Sql, accountId: string, now: Date): Promise<boolean> {
  const rows = await rowsOf(
    sql,
    'INSERT INTO account (id, created_at) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id',
    [accountId, now],
  );
  return rows.length > 0;
}

/** Undefined when the id is taken, by a removed service as well. */
export async function insertService(
  sql: Sql,
  id: string,
  accountId: string,
  settings: ServiceSettings,
  now: Date,
): Promise<ServiceRow | undefined> {
  const [row] = await rowsOf<ServiceRow>(
    sql,
    `INSERT INTO service (id, account_id, created_at, updated_at, ${SETTINGS.map((name) => COLUMN_OF[name]).join(', ')})
     VALUES ($1, $2, $3, $3, ${SETTINGS.map((_, index) => `$${index + 4}`).join(', ')})
     ON CONFLICT DO NOTHING RETURNING ${SERVICE}`,
    [id, accountId, now, ...SETTINGS.map((name) => settings[name])],
  );
  return row;
}

/** Only what is given is written: what another administrator changes meanwhile stays. */
export async function updateService(
  sql: Sql,
  id: string,
  settings: Partial<ServiceSettings>,
  now: Date,
): Promise<ServiceRow | undefined> {
  const given = SETTINGS.filter((name) => settings[name] !== undefined);
  const [row] = await rowsOf<ServiceRow>(
    sql,
    `UPDATE service SET updated_at = $2${given.map((name, index) => `, ${COLUMN_OF[name]} = $${index + 3}`).join('')}
     WHERE id = $1 AND removed_at IS NULL RETURNING ${SERVICE}`,
    [id, now, ...given.map((name) => settings[name])],
  );
  return row;
}

export async function findService(sql: Sql, id: string): Promise<ServiceRow | undefined> {
  const [row] = await rowsOf<ServiceRow>(
    sql,
    `SELECT ${SERVICE} FROM service WHERE id = $1 AND removed_at IS NULL`,
    [id],
  );
  return row;
}

export async function listServices(sql: Sql): Promise<ServiceRow[]> {
  return rowsOf<ServiceRow>(sql, `SELECT ${SERVICE} FROM service WHERE removed_at IS NULL ORDER BY id`);
}

export interface AccessKeyRow {
  readonly accessKey: string;
  readonly accountId: string;
  readonly enabled: boolean;
  readonly createdAt: Date;
}

const ACCESS_KEY = `access_key AS "accessKey", account_id AS "accountId", enabled, created_at AS "createdAt"`;

/**
 * push-interface.md §5: in a free one of the account's two places. Undefined when both are taken. Both are tried, since one that is free
 * when the statement begins may be another's by its end: the row of that is waited for, and passed over.
 */
export async function insertAccessKey(
  sql: Sql,
  accountId: string,
  accessKey: string,
  secretSealed: string,
  now: Date,
): Promise<AccessKeyRow | undefined> {
  for (const place of [1, 2]) {
    const [row] = await rowsOf<AccessKeyRow>(
      sql,
      `INSERT INTO access_key (access_key, account_id, position, secret_sealed, created_at) VALUES ($2, $1, $5, $3, $4)
       ON CONFLICT (account_id, position) DO NOTHING RETURNING ${ACCESS_KEY}`,
      [accountId, accessKey, secretSealed, now, place],
    );
    if (row !== undefined) return row;
  }
  return undefined;
}

export async function listAccessKeys(sql: Sql, accountId: string): Promise<AccessKeyRow[]> {
  return rowsOf<AccessKeyRow>(
    sql,
    `SELECT ${ACCESS_KEY} FROM access_key WHERE account_id = $1 ORDER BY position`,
    [accountId],
  );
}

export async function enableAccessKey(
  sql: Sql,
  accessKey: string,
  enabled: boolean,
): Promise<AccessKeyRow | undefined> {
  const [row] = await rowsOf<AccessKeyRow>(
    sql,
    `UPDATE access_key SET enabled = $2 WHERE access_key = $1 RETURNING ${ACCESS_KEY}`,
    [accessKey, enabled],
  );
  return row;
}

export async function deleteAccessKey(sql: Sql, accessKey: string): Promise<boolean> {
  const rows = await rowsOf(sql, 'DELETE FROM access_key WHERE access_key = $1 RETURNING access_key', [
    accessKey,
  ]);
  return rows.length > 0;
}

export async function accountExists(sql: Sql, accountId: string): Promise<boolean> {
  return (await rowsOf(sql, 'SELECT 1 FROM account WHERE id = $1', [accountId])).length > 0;
}

export interface ApiKeyRow {
  readonly slot: 'primary' | 'secondary';
  readonly active: boolean;
  readonly createdAt: Date;
}

const API_KEY = `slot, active, created_at AS "createdAt"`;

/** A new key takes the place of the slot's old one at once. */
export async function putApiKey(
  sql: Sql,
  serviceId: string,
  slot: string,
  hash: Buffer,
  now: Date,
): Promise<void> {
  await sql.query(
    `INSERT INTO api_key (service_id, slot, hash, created_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (service_id, slot) DO UPDATE SET hash = excluded.hash, active = true, created_at = excluded.created_at`,
    [serviceId, slot, hash, now],
  );
}

export async function activateApiKey(
  sql: Sql,
  serviceId: string,
  slot: string,
  active: boolean,
): Promise<ApiKeyRow | undefined> {
  const [row] = await rowsOf<ApiKeyRow>(
    sql,
    `UPDATE api_key SET active = $3 WHERE service_id = $1 AND slot = $2 RETURNING ${API_KEY}`,
    [serviceId, slot, active],
  );
  return row;
}

export async function listApiKeys(sql: Sql, serviceId: string): Promise<ApiKeyRow[]> {
  return rowsOf<ApiKeyRow>(sql, `SELECT ${API_KEY} FROM api_key WHERE service_id = $1 ORDER BY slot`, [
    serviceId,
  ]);
}

export async function deleteApiKey(sql: Sql, serviceId: string, slot: string): Promise<boolean> {
  const rows = await rowsOf(sql, 'DELETE FROM api_key WHERE service_id = $1 AND slot = $2 RETURNING slot', [
    serviceId,
    slot,
  ]);
  return rows.length > 0;
}

export interface DeliveryRow {
  readonly occurrence: string;
  /** Null when the user was deleted since. */
  readonly userId: string | null;
  readonly deviceType: 'GCM' | 'APNS';
  readonly deviceToken: string | null;
  readonly country: string;
  readonly language: string;
  readonly timezone: number;
  readonly outcome: 'sent' | 'failed';
  readonly reason: string | null;
  readonly handedAt: Date;
  readonly headers: Record<string, string>;
  readonly body: string | null;
}

/** What each device was handed, oldest first. */
export async function findDeliveries(
  sql: Sql,
  messageId: string,
  limit: number,
  offset: number,
): Promise<DeliveryRow[]> {
  return rowsOf<DeliveryRow>(
    sql,
    `SELECT f.occurrence, u.user_id AS "userId", d.device_type AS "deviceType", dev.device_token AS "deviceToken",
            d.country, d.language, d.timezone, d.outcome, d.reason, d.handed_at AS "handedAt", p.headers, p.body
     FROM firing f JOIN delivery d ON d.firing_id = f.id
     LEFT JOIN push_user u ON u.key = d.user_key
     LEFT JOIN device dev ON dev.id = d.device_id
     LEFT JOIN payload p ON p.firing_id = f.id AND p.device_type = d.device_type AND p.language = d.language
     WHERE f.message_id = $1
     ORDER BY d.handed_at, d.firing_id, d.device_id LIMIT $2 OFFSET $3`,
    [messageId, limit, offset],
  );
}

export interface TakenMessageRow {
  readonly requestId: string;
  readonly kind: 'immediate' | 'reserved' | 'scheduled';
  readonly state: string;
  readonly targetCount: number;
  readonly sentCount: number;
}

/** Every message a service has taken, oldest first: what a client must know of, and nothing besides. */
export async function findTakenMessages(
  sql: Sql,
  serviceId: string,
  limit: number,
  offset: number,
): Promise<TakenMessageRow[]> {
  return rowsOf<TakenMessageRow>(
    sql,
    `SELECT id AS "requestId", kind, state, target_count::float8 AS "targetCount", sent_count::float8 AS "sentCount"
     FROM message WHERE service_id = $1 ORDER BY id LIMIT $2 OFFSET $3`,
    [serviceId, limit, offset],
  );
}
