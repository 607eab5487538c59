// Events that could not be taken, with every reason. Written beside their event's row, in the same transaction.
import type { Sql } from '../../platform/database/database.js';
import { insertRows } from '../../platform/database/columns.js';

export interface RejectionRow {
  readonly id: string;
  readonly event: string;
  /** [{pointer, code, text}]. */
  readonly reasons: unknown;
  readonly rejected_at: Date;
  readonly topic: string | null;
  readonly partition: number | null;
  readonly offset: string | null;
  readonly body_hash: Buffer;
}

export async function insertRejections(sql: Sql, rows: readonly RejectionRow[]): Promise<void> {
  await insertRows(sql, {
    table: 'rejection',
    columns:
      'id uuid, event uuid, reasons jsonb, rejected_at timestamptz, topic text, partition int, offset bigint, body_hash bytea',
    rows,
  });
}
