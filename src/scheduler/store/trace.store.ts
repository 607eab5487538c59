// Reads the trace of a campaign. It is kept once, in the revision's `data.trace`, next to the event's data, and not in a send's row.
// Locks nothing.
import { columnsOf } from '../../platform/database/row-arrays.js';
import type { Sql } from '../../platform/database/database.js';
import { prepared } from '../../platform/database/pooled-database.js';
import type { TraceContext } from '../../platform/tracing/trace-context.js';
import type { RevisionName } from './send/fire.store.js';

export interface RevisionTrace extends RevisionName {
  /** null: its event had none. */
  readonly trace: TraceContext | null;
}

const NAMES = columnsOf<RevisionName>('campaign uuid, revision int');

// By the primary key.
const TRACES = prepared(`
select r.campaign, r.revision, r.data->'trace' as trace
  from ${NAMES.from} as n join revision r on r.campaign = n.campaign and r.revision = n.revision`);

/** The traces of the revisions that exist. */
export function revisionTraces(sql: Sql, names: readonly RevisionName[]): Promise<RevisionTrace[]> {
  return sql.query(TRACES, NAMES.parametersOf(names));
}

/** For the log line of a failure. undefined: there is no trace, or the database failed. Never rejects. */
export function traceOfSend(sql: Sql, send: string): Promise<TraceContext | undefined> {
  return traceOf(sql, 'send s', 's.id', send);
}

/** Like traceOfSend(). */
export function traceOfCampaign(sql: Sql, campaign: string): Promise<TraceContext | undefined> {
  return traceOf(sql, '(select id as campaign, revision from campaign) s', 's.campaign', campaign);
}

async function traceOf(sql: Sql, from: string, key: string, id: string): Promise<TraceContext | undefined> {
  const rows = await sql
    .query<Pick<RevisionTrace, 'trace'>>(
      `select r.data->'trace' as trace from ${from} join revision r on r.campaign = s.campaign and r.revision = s.revision
        where ${key} = $1`,
      [id],
    )
    .catch(() => []);
  return rows[0]?.trace ?? undefined;
}
