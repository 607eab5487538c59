// A push service's database of its own, and rows for it, for specs that call the stores themselves.
import { v7 } from 'uuid';
import type { Sql } from '../../../../src/platform/database/database.js';
import { Secret } from '../../../../src/platform/env.js';
import type { PooledDatabase } from '../../../../src/platform/database/pooled-database.js';
import type { CredentialRef } from '../../../../src/push-service/delivery/provider-port.js';
import type { ServiceFacts } from '../../../../src/push-service/gateway/access.store.js';
import type { NewMessage } from '../../../../src/push-service/messages/message.store.js';
import { pushDataSource } from '../../../../src/push-service/push.database.js';
import { fixedTable } from '../../../../src/zone-rules/zone-offsets.js';
import { cloneDatabase } from '../../../support/postgres/database.js';

export interface OpenedDatabase {
  readonly url: string;
  readonly sql: PooledDatabase;
  /** Ends it. */
  close(): Promise<void>;
}

export async function openDatabase(): Promise<OpenedDatabase> {
  const database = await cloneDatabase();
  const { url } = database;
  const sql = pushDataSource(new Secret(url), 4);
  await sql.initialize();
  const close = async (): Promise<void> => {
    await sql.destroy();
    await database.drop();
  };
  return { url, sql, close };
}

/** A service and its account, of the same name. */
export async function addService(sql: Sql, id: string, at: Date): Promise<void> {
  await sql.query('insert into account (id, created_at) values ($1, $2)', [id, at]);
  await sql.query('insert into service (id, account_id, created_at, updated_at) values ($1, $1, $2, $2)', [
    id,
    at,
  ]);
}

/** A row that `ref` names; its secret opens nowhere. */
export async function addCredential(
  sql: Sql,
  serviceId: string,
  { id, version, kind }: CredentialRef,
  at: Date,
): Promise<void> {
  await sql.query(
    `insert into provider_credential (id, service_id, kind, version, settings, secret_sealed, created_at, updated_at)
     values ($1, $2, $3, $4, '{}', '', $5, $5)`,
    [id, serviceId, kind, version, at],
  );
}

/** What the gateway knows of a service that bounds and refuses nothing. */
export function serviceFacts(id: string): ServiceFacts {
  return {
    id,
    offsets: fixedTable(0),
    answerTimes: 'local',
    apiKeyRequired: false,
    apiKeyHashes: [],
    strictOptions: false,
    suspended: false,
    removed: false,
    ratePerSecond: null,
    rateBurst: null,
    quotaPerDay: null,
  };
}

/** An immediate message to everybody, like no other; its text is its id. */
export function newMessage(serviceId: string, at: Date, members: Partial<NewMessage> = {}): NewMessage {
  const { id = v7() } = members;
  return {
    id,
    serviceId,
    kind: 'immediate',
    messageType: 'NOTIF',
    request: JSON.stringify({
      target: { type: 'ALL' },
      message: { default: { content: id } },
      messageType: 'NOTIF',
    }),
    dedupeHash: Buffer.from(id),
    idempotencyKey: null,
    accessKey: 'access-key',
    signedHash: Buffer.from(`signed ${members.dedupeHash?.toString('hex') ?? id}`),
    bodyHash: Buffer.from('body'),
    requestedAt: at,
    reserveTime: null,
    reserveTimeZone: null,
    scheduleId: null,
    fireAt: at,
    small: false,
    ...members,
  };
}
