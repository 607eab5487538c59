// The audit log: everything done by hand, in the transaction that does it. Never given a secret: callers pass what the
// API would answer.
import { v7 } from 'uuid';
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
  await writeAudits(sql, [entry]);
}

/** Many at once, in their order. */
export async function writeAudits(sql: Sql, entries: readonly AuditEntry[]): Promise<void> {
  await insertRows(sql, {
    table: 'audit',
    columns:
      'id uuid, at timestamptz, who text, action text, target text, service_id text, before jsonb, after jsonb',
    rows: entries.map((entry) => ({
      serviceId: null,
      before: null,
      after: null,
      ...entry,
      id: v7({ msecs: entry.at.getTime() }),
    })),
  });
}

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
): Promise<{ readonly id: string }[]> {
  return sql.query(
    `select id, at, who, action, target, service_id as "serviceId", before, after from audit
      where ($1::text is null or target = $1) and ($2::uuid is null or id < $2)
        and ($4::text[] is null or service_id = any($4))
      order by id desc limit $3`,
    [filter.target ?? null, filter.before ?? null, filter.limit, filter.held],
  );
}
