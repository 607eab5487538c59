// Webhooks: who is told of alerts. Their secrets leave this file opened only for the sender.
import { firstRow, type Sql } from '../../../platform/database/database.js';
import type { CauseCode } from '../cause.js';

export interface WebhookRow {
  readonly id: string;
  readonly url: string;
  readonly causes: readonly CauseCode[] | null;
  readonly services: readonly string[] | null;
  readonly createdAt: Date;
  readonly createdBy: string;
  readonly deliveredAt: Date | null;
  readonly failingSince: Date | null;
  readonly lastError: string | null;
}

const COLUMNS = `id, url, causes, services, created_at as "createdAt", created_by as "createdBy", delivered_at as "deliveredAt",
  failing_since as "failingSince", last_error as "lastError"`;

export interface NewWebhook extends Pick<
  WebhookRow,
  'id' | 'url' | 'causes' | 'services' | 'createdAt' | 'createdBy'
> {
  readonly secretSealed: string;
}

export async function insertWebhook(sql: Sql, made: NewWebhook): Promise<void> {
  const { id, url, secretSealed, causes, services, createdAt, createdBy } = made;
  await sql.query(
    `insert into webhook (id, url, secret_sealed, causes, services, created_at, created_by) values ($1, $2, $3, $4, $5, $6, $7)`,
    [id, url, secretSealed, causes, services, createdAt, createdBy],
  );
}

/** In order of id, which is that of creation. */
export function webhookPage(sql: Sql, after: string | undefined, limit: number): Promise<WebhookRow[]> {
  return sql.query<WebhookRow>(
    `select ${COLUMNS} from webhook where $1::text is null or id > $1 order by id limit $2`,
    [after ?? null, limit],
  );
}

export function webhookById(sql: Sql, id: string): Promise<WebhookRow | undefined> {
  return firstRow<WebhookRow>(sql, `select ${COLUMNS} from webhook where id = $1`, [id]);
}

/** Its messages and changes go with it. Returns whether there was one. */
export async function deleteWebhook(sql: Sql, id: string): Promise<boolean> {
  return (await sql.query('delete from webhook where id = $1 returning 1 as gone', [id])).length > 0;
}

export interface WebhookAddress {
  readonly url: string;
  readonly secretSealed: string;
}

export function webhookAddress(sql: Sql, id: string): Promise<WebhookAddress | undefined> {
  return firstRow<WebhookAddress>(
    sql,
    'select url, secret_sealed as "secretSealed" from webhook where id = $1',
    [id],
  );
}

/** Those that no try has reached for at least `hours`. Reads the whole table, which has a few rows. */
export function failingWebhooks(sql: Sql, hours: number): Promise<WebhookRow[]> {
  return sql.query<WebhookRow>(
    `select ${COLUMNS} from webhook where failing_since < clock_timestamp() - $1 * interval '1 hour' order by id`,
    [hours],
  );
}
