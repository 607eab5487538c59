// The audit log: everything done by hand, in the transaction that does it. Never given a secret: callers pass what the
// API would answer.
import { v7 } from 'uuid';
import { z } from 'zod';
import type { Sql } from '../../platform/database/database.js';
import { insertRows } from '../../platform/database/columns.js';

export interface AuditEntry {
  readonly at: Date;
  readonly who: string;
  /** What was done, as `noun.verb`: `send.retry`, `project.stop`. */
  readonly action: string;
  /** The id of what it was done to. */
  readonly target: string;
  readonly serviceId?: string | undefined;
  readonly before?: unknown;
  readonly after?: unknown;
}

export async function writeAudit(sql: Sql, entry: AuditEntry): Promise<void> {
  await insertRows(sql, {
    table: 'audit',
    columns:
      'id uuid, at timestamptz, who text, action text, target text, service_id text, before jsonb, after jsonb',
    rows: [{ serviceId: null, before: null, after: null, ...entry, id: v7({ msecs: entry.at.getTime() }) }],
  });
}

export const AuditRow = z
  .object({
    id: z.uuid(),
    at: z.date(),
    who: z.string(),
    action: z.string().describe('What was done, as noun.verb'),
    target: z.string().describe('The id of what it was done to'),
    serviceId: z.string().nullable(),
    before: z.unknown(),
    after: z.unknown(),
  })
  .meta({ id: 'AuditRow' });
export type AuditRow = z.output<typeof AuditRow>;

/** Newest first, by the primary key, or by audit_target where a target is given; `before` is the last id seen. */
export function listAudit(
  sql: Sql,
  filter: {
    target: string | undefined;
    before: string | undefined;
    /** null: all; else rows without a serviceId (tokens) are left out. */
    held: readonly string[] | null;
    limit: number;
  },
): Promise<AuditRow[]> {
  return sql.query<AuditRow>(
    `select id, at, who, action, target, service_id as "serviceId", before, after from audit
      where ($1::text is null or target = $1) and ($2::uuid is null or id < $2)
        and ($4::text[] is null or service_id = any($4))
      order by id desc limit $3`,
    [filter.target ?? null, filter.before ?? null, filter.limit, filter.held],
  );
}
