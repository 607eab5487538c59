// Reads outcomes of sends, occurrences and campaigns. The statement that changes these writes the event (the triggers of send, and
// write_campaign_event); publish-outcomes.ts publishes it afterwards (docs/decisions/0030).
import type { Sql } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/pooled-database.js';
import { columnsOf } from '../../../platform/database/row-arrays.js';
import type { LogAsk, TakenPage } from '../log/log-reader.js';
import type { CursorRow } from '../log/outcome-cursor.js';

/** An outcome of a send, an occurrence or a campaign; members that do not apply are null. */
export interface OutcomeRow {
  /** The same each time it is published. */
  readonly id: string;
  /** The event's type between `carillon.outcome.` and its version. */
  readonly kind: string;
  readonly serviceId: string;
  readonly campaignId: string;
  readonly campaign: string;
  /** Counted for each send; the events of a campaign and its occurrences are counted together. */
  readonly sequence: number;
  readonly revision: number;
  readonly occurrence: string | null;
  readonly state: string;
  readonly code: string | null;
  readonly detail: string | null;
  readonly at: Date;
  /** All problems of a rejected campaign. */
  readonly problems: readonly unknown[] | null;
  /** The warnings of a planned campaign. */
  readonly warnings: readonly unknown[] | null;
  /** How a revision differed from the one before. */
  readonly changes: object | null;
  /** As text, because a campaign's are sums. */
  readonly targetCount: string | null;
  readonly sentCount: string | null;
  /** This and all below only for a send. */
  readonly send: string | null;
  readonly zone: string | null;
  readonly cell: string | null;
  readonly chunk: number | null;
  readonly retryOf: string | null;
  readonly from: string | null;
  readonly dueAt: Date | null;
  readonly requestId: string | null;
}

export interface OutcomeAsk extends LogAsk {
  /** The most bytes of the events, roughly; but at least one row. */
  readonly bytes: number;
}

export interface OutcomePage extends Pick<TakenPage, 'rows' | 'isCut'> {
  readonly outcomes: readonly OutcomeRow[];
}

interface FoundRow extends Omit<OutcomeRow, 'campaign' | 'warnings' | 'changes'>, CursorRow {
  /** null: its send is gone, or the shard has no rows. */
  readonly campaign: string | null;
  readonly seen: string;
}

// sql/scheduler/functions/read_outcomes.sql: what read_log() reads; sends, campaigns and cells by primary key.
const READ = prepared('select * from read_outcomes($1, $2, $3, $4, $5)');

/**
 * The next outcomes of these shards, those of a shard in order of position. Outcomes beyond a hole are of other sends than the missing
 * one, because a change of a send gets its position only when the change before it is committed.
 */
export async function readOutcomes(
  sql: Sql,
  { shards, rowsOfShard, rows: most, bytes, ranges }: OutcomeAsk,
): Promise<OutcomePage> {
  const rows = await sql.query<FoundRow>(READ, [shards, rowsOfShard, most, bytes, ranges]);
  const found = rows.filter(({ position }) => position !== null).length;
  // If a send is gone, its outcomes can no longer be made.
  const known = rows.filter((row): row is FoundRow & { campaign: string } => row.campaign !== null);
  const facts = await revisionFacts(sql, known);
  return {
    rows,
    isCut: found < Number(rows[0]?.seen ?? 0),
    outcomes: known.map((row) => {
      const { warnings = null, changes = null } = facts.get(nameOf(row)) ?? {};
      return {
        ...row,
        warnings: PLANNED.includes(row.kind) ? (warnings ?? []) : null,
        changes: row.kind === REPLANNED ? changes : null,
      };
    }),
  };
}

const PLANNED: readonly string[] = [
  'campaign.planned',
  'campaign.awaiting-approval',
  'campaign.revision-awaiting-approval',
];
const REPLANNED = 'campaign.replanned';

type RevisionPlace = Pick<OutcomeRow, 'campaign' | 'revision'>;
const REVISIONS = columnsOf<RevisionPlace>('campaign uuid, revision int');
const nameOf = ({ campaign, revision }: RevisionPlace): string => `${campaign} ${revision}`;

/**
 * The warnings of what is planned, or awaits approval; for a recurrence, of the occurrences planned last. And how revisions differed.
 * Primary key.
 */
async function revisionFacts(
  sql: Sql,
  rows: readonly (RevisionPlace & Pick<OutcomeRow, 'kind'>)[],
): Promise<Map<string, { warnings: readonly unknown[] | null; changes: object | null }>> {
  const planned = rows.filter(({ kind }) => PLANNED.includes(kind) || kind === REPLANNED);
  if (planned.length === 0) return new Map();
  const found = await sql.query<
    RevisionPlace & { warnings: readonly unknown[] | null; changes: object | null }
  >(
    `select r.campaign, r.revision, r.plan -> 'warnings' as warnings, r.difference - 'changed' as changes
       from ${REVISIONS.from} as u
       join revision r on r.campaign = u.campaign and r.revision = u.revision`,
    REVISIONS.parametersOf(planned),
  );
  return new Map(found.map((one) => [nameOf(one), one]));
}
