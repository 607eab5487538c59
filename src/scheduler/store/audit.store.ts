// The audit log: everything that is done by hand, written in the transaction that does it. It never has a secret, because callers pass
// values as the API shows them.
import { v7 } from 'uuid';
import { z } from 'zod';
import type { Sql } from '../../platform/database/database.js';
import { insertRows } from '../../platform/database/row-arrays.js';
import { lookThrough, Parameters } from '../../platform/database/bounded-pages.js';

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

/** The action is `noun.verb`: `send.retry`, `project.stop`. */
export interface AuditEntry extends Pick<AuditRow, 'at' | 'who' | 'action' | 'target'> {
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

/** The id of a token, which follows its name. */
const TOKEN_ID = String.raw` \([0-9a-f-]{36}\)$`;

export interface AuditFilter {
  readonly target?: string | undefined;
  readonly who?: string | undefined;
  readonly action?: string | undefined;
  readonly serviceId?: string | undefined;
  /** When it was done: from `from` on and before `to`, ISO 8601. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** The services of the caller; null: all. With a list, rows without a serviceId (tokens) are left out. */
  readonly held: readonly string[] | null;
}

/**
 * Newest first, by the primary key, in which a time range is a range of ids, or by audit_target if a target is given. `before` is the
 * last id seen. For other members it looks at no more rows than a page may.
 */
export async function auditPage(
  sql: Sql,
  filter: AuditFilter,
  page: { readonly before: string | undefined; readonly limit: number },
): Promise<{ readonly rows: readonly AuditRow[]; readonly stoppedAt: string | undefined }> {
  const parameters = new Parameters();
  const rows = ['true'];
  const match = ['true'];
  parameters.restrict(rows, filter.target, 'text', 'r.target = ?');
  parameters.restrict(rows, filter.from, 'timestamptz', 'r.id >= uuid_floor(?)');
  parameters.restrict(rows, filter.to, 'timestamptz', 'r.id < uuid_floor(?)');
  parameters.restrict(rows, page.before, 'uuid', 'r.id < ?');
  parameters.ofRows = parameters.all.length;
  parameters.restrict(match, filter.held, 'text[]', 's.service_id = any(?)');
  // Also without the id that follows a token's name.
  parameters.restrict(match, filter.who, 'text', `? in (s.who, regexp_replace(s.who, '${TOKEN_ID}', ''))`);
  parameters.restrict(match, filter.action, 'text', 's.action = ?');
  parameters.restrict(match, filter.serviceId, 'text', 's.service_id = ?');
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
