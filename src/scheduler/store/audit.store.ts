// The audit log: everything done by hand, in the transaction that does it. Never given a secret: callers pass what the
// API would answer.
import { v7 } from 'uuid';
import { z } from 'zod';
import type { Sql } from '../../platform/database/database.js';
import { insertRows } from '../../platform/database/columns.js';
import { lookThrough, Parameters } from '../../platform/database/look-through.js';

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

export interface AuditFilter {
  readonly target?: string | undefined;
  readonly who?: string | undefined;
  readonly action?: string | undefined;
  readonly serviceId?: string | undefined;
  /** When it was done: from `from` on, before `to`; as instants of ours are written. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** null: all; else rows without a serviceId (tokens) are left out. */
  readonly held: readonly string[] | null;
}

export interface AuditFound {
  readonly rows: readonly AuditRow[];
  readonly stoppedAt: string | undefined;
}

/**
 * Newest first, by the primary key, of which times are a range, or by audit_target where a target is given; `before` is the last
 * id seen. For the rest no more rows than a page looks at.
 */
export async function auditPage(
  sql: Sql,
  filter: AuditFilter,
  page: { readonly before: string | undefined; readonly limit: number },
): Promise<AuditFound> {
  const { target, who, action, serviceId, from, to, held } = filter;
  const parameters = new Parameters();
  const rows = ['true'];
  const match = ['true'];
  parameters.restrict(rows, target, 'text', 'r.target = ?');
  parameters.restrict(rows, from, 'timestamptz', 'r.id >= uuid_floor(?)');
  parameters.restrict(rows, to, 'timestamptz', 'r.id < uuid_floor(?)');
  parameters.restrict(rows, page.before, 'uuid', 'r.id < ?');
  parameters.ofRows = parameters.all.length;
  parameters.restrict(match, held, 'text[]', 's.service_id = any(?)');
  parameters.restrict(match, who, 'text', 's.who = ?');
  parameters.restrict(match, action, 'text', 's.action = ?');
  parameters.restrict(match, serviceId, 'text', 's.service_id = ?');
  const look = {
    rows: `select r.* from audit r where ${rows.join(' and ')}`,
    match: match.join(' and '),
    newest: true,
    parameters,
  };
  const { ids, stoppedAt } = await lookThrough(sql, look, page.limit);
  const found = await sql.query<AuditRow>(
    `select id, at, who, action, target, service_id as "serviceId", before, after from audit
      where id = any($1) order by id desc`,
    [ids],
  );
  return { rows: found, stoppedAt };
}
