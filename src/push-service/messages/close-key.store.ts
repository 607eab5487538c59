// Named SQL of the extension `close-key`. A closed key is a row of message, so the unique dedupe hash lets either a POST or a close of
// the key in, in whatever order they commit and at whatever replica.
import { firstRow, type Sql } from '../../platform/database/database.js';
import type { NewMessage } from './message.store.js';

export type KeyToClose = Pick<NewMessage, 'id' | 'serviceId' | 'dedupeHash' | 'accessKey'> & {
  readonly idempotencyKey: string;
  readonly at: Date;
};

export interface CloseAttempt {
  /** This statement closed the key. */
  readonly closed: boolean;
  /** For how many seconds all messages are in this database. */
  readonly secondsKnown: number;
}

/**
 * Closes the key, if it is free. Waits for a transaction that takes a message under it (unique index message_dedupe). One statement
 * also says since when the database has all messages: so both are about the same database.
 */
export async function closeFreeKey(sql: Sql, key: KeyToClose): Promise<CloseAttempt> {
  const { id, serviceId, dedupeHash, idempotencyKey, accessKey, at } = key;
  const row = await firstRow<CloseAttempt>(
    sql,
    `with closed as (
       insert into message (id, service_id, kind, state, message_type, request, dedupe_hash, idempotency_key, access_key, body_hash,
                            requested_at, complete_at)
       values ($1, $2, 'closed', 'CANCELED', 'NOTIF', '{}', $3, $4, $5, '', $6, $6)
       on conflict (dedupe_hash) do nothing returning id
     )
     select exists (select from closed) as closed, seconds_known($6) as "secondsKnown"`,
    [id, serviceId, dedupeHash, idempotencyKey, accessKey, at],
  );
  return row ?? { closed: false, secondsKnown: 0 };
}
