// Answers to POSTs that carried an Idempotency-Key, by token. Every statement is by the primary key.
import { anyRow, type Sql } from '../../platform/database/database.js';

export interface KeptAnswer {
  readonly sameRequest: boolean;
  /** null: the first request still runs, or its process died and changed nothing. */
  readonly status: number | null;
  readonly body: unknown;
  readonly createdAt: Date;
}

/** A key as one request holds it. */
export interface HeldKey {
  readonly tokenId: string;
  readonly key: string;
  /** When that request took the key: a later request may have taken it over. */
  readonly takenAt: Date;
}

interface WantedKey extends HeldKey {
  readonly requestHash: Buffer;
  /** A request that took the key before this instant and has not answered counts as lost. */
  readonly lostBefore: Date;
}

/** undefined: this request now has the key. Else the state of the request that took it before. */
export async function takeKey(
  sql: Sql,
  { tokenId, key, takenAt, requestHash, lostBefore }: WantedKey,
): Promise<KeptAnswer | undefined> {
  const taken = await anyRow(
    sql,
    `insert into idempotent_answer as a (token_id, key, request_hash, created_at) values ($1, $2, $3, $4)
     on conflict (token_id, key) do update set created_at = excluded.created_at
      where a.status is null and a.request_hash = excluded.request_hash and a.created_at < $5
     returning 1 as taken`,
    [tokenId, key, requestHash, takenAt, lostBefore],
  );
  if (taken) return undefined;
  const [kept] = await sql.query<KeptAnswer>(
    `select request_hash = $3 as "sameRequest", status, body, created_at as "createdAt"
       from idempotent_answer where token_id = $1 and key = $2`,
    [tokenId, key, requestHash],
  );
  // The first request failed between the two statements and released the key: it counts as still running.
  return kept ?? { sameRequest: true, status: null, body: null, createdAt: takenAt };
}

/** false: another request has taken the key over. */
export async function keepAnswer(
  sql: Sql,
  { tokenId, key, takenAt, status, body }: HeldKey & { status: number; body: unknown },
): Promise<boolean> {
  return anyRow(
    sql,
    `update idempotent_answer set status = $4, body = $5 where token_id = $1 and key = $2 and created_at = $3 returning 1 as kept`,
    [tokenId, key, takenAt, status, body === undefined ? null : JSON.stringify(body)],
  );
}

/** Releases the key. Waits for a commit of the same request that is under way, and does not delete an answer that it has kept. */
export async function dropKey(sql: Sql, { tokenId, key, takenAt }: HeldKey): Promise<void> {
  await sql.query(
    'delete from idempotent_answer where token_id = $1 and key = $2 and created_at = $3 and status is null',
    [tokenId, key, takenAt],
  );
}
