// Which trace a campaign belongs to: kept once, by its revision, in `data.trace` beside what the event said. A send's row holds
// nothing of it. Locks nothing.
import { columnsOf } from '../../platform/database/columns.js';
import type { Sql } from '../../platform/database/database.js';
import { prepared } from '../../platform/database/pooled-database.js';
import type { TraceContext } from '../../platform/tracing/trace-context.js';
import type { RevisionName } from './send/fire.store.js';

export interface RevisionTrace extends RevisionName {
  /** Null: its event had none. */
  readonly trace: TraceContext | null;
}

const NAMES = columnsOf<RevisionName>('campaign uuid, revision int');

// By the primary key.
const TRACES = prepared(`
select r.campaign, r.revision, r.data->'trace' as trace
  from ${NAMES.from} as n join revision r on r.campaign = n.campaign and r.revision = n.revision`);

/** Of those revisions that are there. */
export function revisionTraces(sql: Sql, names: readonly RevisionName[]): Promise<RevisionTrace[]> {
  return sql.query<RevisionTrace>(TRACES, NAMES.parametersOf(names));
}

/** For a line about one that failed: undefined where it has none, or nobody can say so now. Never rejects. */
export function traceOfSend(sql: Sql, send: string): Promise<TraceContext | undefined> {
  return traceOf(sql, 'send s', 's.id', send);
}

/** As traceOfSend(). */
export function traceOfCampaign(sql: Sql, campaign: string): Promise<TraceContext | undefined> {
  return traceOf(sql, '(select id as campaign, revision from campaign) s', 's.campaign', campaign);
}

async function traceOf(sql: Sql, of: string, key: string, id: string): Promise<TraceContext | undefined> {
  const rows = await sql
    .query<Pick<RevisionTrace, 'trace'>>(
      `select r.data->'trace' as trace from ${of} join revision r on r.campaign = s.campaign and r.revision = s.revision
        where ${key} = $1`,
      [id],
    )
    .catch(() => []);
  return rows[0]?.trace ?? undefined;
}
