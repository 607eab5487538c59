// Answers to POSTs that carried an Idempotency-Key, by token. Every statement is by the primary key.
import type { Sql } from '../../platform/database/database.js';

export interface KeptAnswer {
  readonly sameRequest: boolean;
  /** null: the first request still runs, or its process died. */
  readonly status: number | null;
  readonly body: unknown;
  readonly createdAt: Date;
}

/** undefined: this request has the key. Else what became of the request that took it before. */
export async function takeKey(
  sql: Sql,
  { tokenId, key, requestHash, now }: { tokenId: string; key: string; requestHash: Buffer; now: Date },
): Promise<KeptAnswer | undefined> {
  const taken = await sql.query(
    `insert into idempotent_answer (token_id, key, request_hash, created_at) values ($1, $2, $3, $4)
     on conflict do nothing returning 1 as taken`,
    [tokenId, key, requestHash, now],
  );
  if (taken.length > 0) return undefined;
  const [kept] = await sql.query<KeptAnswer>(
    `select request_hash = $3 as "sameRequest", status, body, created_at as "createdAt"
       from idempotent_answer where token_id = $1 and key = $2`,
    [tokenId, key, requestHash],
  );
  // The first request failed between the two statements and gave the key back: it counts as still running.
  return kept ?? { sameRequest: true, status: null, body: null, createdAt: now };
}

export async function keepAnswer(
  sql: Sql,
  { tokenId, key, status, body }: { tokenId: string; key: string; status: number; body: unknown },
): Promise<void> {
  await sql.query('update idempotent_answer set status = $3, body = $4 where token_id = $1 and key = $2', [
    tokenId,
    key,
    status,
    body === undefined ? null : JSON.stringify(body),
  ]);
}

export async function dropKey(sql: Sql, { tokenId, key }: { tokenId: string; key: string }): Promise<void> {
  await sql.query('delete from idempotent_answer where token_id = $1 and key = $2 and status is null', [
    tokenId,
    key,
  ]);
}
