// Announces to every process that something changed, for those who look at it now (outcomes/stream/). An announcement is a hint to
// read again: it is not kept, and holds no text and no user. PostgreSQL delivers all of them to every listener in one order.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Sql } from '../../platform/database/database.js';
import { CHANNELS } from './channels.js';

export const CHANGE_EVENTS = ['campaign', 'send', 'attention', 'project', 'set', 'alert'] as const;

/**
 * `subject`: changes of one subject are merged. `serviceId` null: only holders of all services see it, or everybody where it is an
 * alert. Data are merged by their kind: counts are added, lists united, other values replaced.
 */
export const Change = z.object({
  event: z.enum(CHANGE_EVENTS),
  serviceId: z.string().nullable(),
  subject: z.string(),
  data: z.record(z.string(), z.unknown()),
});
export type Change = z.output<typeof Change>;

/** What one NOTIFY carries; triggers write the same (sql/scheduler/functions/announce_*.sql). */
export const Announcement = z.object({ id: z.string(), changes: z.array(z.unknown()) });

/** PostgreSQL takes less than 8 000 bytes. */
const MOST_BYTES = 7_800;

/** Leaves with the commit of the caller's transaction. Takes the lock of notifications at the commit alone. */
export async function announce(sql: Sql, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return;
  await sql.query('select pg_notify($1, p) from unnest($2::text[]) p', [
    CHANNELS.changes,
    payloadsOf(changes),
  ]);
}

/** In order, as many in each as fit. */
export function payloadsOf(changes: readonly Change[]): string[] {
  const payloads: string[] = [];
  let texts: string[] = [];
  let bytes = Infinity;
  const close = (): void => {
    if (texts.length > 0) payloads.push(`{"id":"${randomUUID()}","changes":[${texts.join()}]}`);
    texts = [];
    bytes = 80;
  };
  for (const change of changes) {
    const text = JSON.stringify(change);
    const size = Buffer.byteLength(text) + 1;
    if (bytes + size > MOST_BYTES) close();
    texts.push(text);
    bytes += size;
  }
  close();
  return payloads;
}
