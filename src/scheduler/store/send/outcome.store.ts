// What became of sends, occurrences and campaigns. The statement that changes them writes the event (the triggers of send, and
// tell_campaign); publish/publish-outcomes.ts publishes it afterwards. Each shard numbers its events by itself; its cursor holds
// the published positions as ranges (docs/decisions/0030).
import type { Sql } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/pooled-database.js';
import { columnsOf } from '../../../platform/database/row-arrays.js';
import { cursorMove, moveCursor, readShards, type CursorRow, type ReadShards } from '../event-cursor.js';

/** What became of a send, an occurrence or a campaign; members that do not apply are null. */
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
  /** What the plan of a planned campaign warns of. */
  readonly warnings: readonly unknown[] | null;
  /** As text, because a campaign's are sums. */
  readonly targetCount: string | null;
  readonly sentCount: string | null;
  /** From here on: only of a send. */
  readonly send: string | null;
  readonly zone: string | null;
  readonly cell: string | null;
  readonly chunk: number | null;
  readonly retryOf: string | null;
  readonly from: string | null;
  readonly dueAt: Date | null;
  readonly requestId: string | null;
}

export interface OutcomeAsk {
  /** Where the page is full, the last ones come short. */
  readonly shards: readonly number[];
  readonly rowsOfShard: number;
  readonly rows: number;
  /** Roughly the size of the events that they become; but at least one row. */
  readonly bytes: number;
  /** With more ranges in its cursor, a shard reads nothing above its top, only what fills its holes. */
  readonly ranges: number;
}

export interface OutcomePage extends ReadShards {
  readonly outcomes: readonly OutcomeRow[];
}

interface FoundRow extends Omit<OutcomeRow, 'campaign' | 'warnings'>, CursorRow {
  /** null: its send is gone, or the shard has no rows. */
  readonly campaign: string | null;
  readonly seen: string;
}

const MOVE = cursorMove('publish_cursor', 'published');

// sql/scheduler/functions/read_outcomes.sql. Index send_event_position, one probe for each hole of a shard and one above its top, so
// that a page costs a page, however much is published or waiting; sends, campaigns and cells by primary key.
const READ = prepared('select * from read_outcomes($1, $2, $3, $4, $5)');

/**
 * The next outcomes of these shards, those of a shard in the order of their positions. Outcomes beyond a hole are read too: the
 * missing position belongs to a transaction that has not committed yet, and is read once it has. It is about other sends, because
 * a send's change gets its position only when the change before it can be seen.
 */
export async function readOutcomes(
  sql: Sql,
  { shards, rowsOfShard, rows: most, bytes, ranges }: OutcomeAsk,
): Promise<OutcomePage> {
  const rows = await sql.query<FoundRow>(READ, [shards, rowsOfShard, most, bytes, ranges]);
  const found = rows.filter(({ position }) => position !== null).length;
  const isCut = rows.length === most || found < Number(rows[0]?.seen ?? 0);
  // If a send is gone, what was to be published about it cannot be known.
  const known = rows.filter((row): row is FoundRow & { campaign: string } => row.campaign !== null);
  const warnings = await warningsOf(sql, known);
  return {
    ...readShards(rows, { rowsOfShard, isCut }),
    outcomes: known.map((row) => ({ ...row, warnings: warnings.get(`${row.kind} ${row.campaign}`) ?? null })),
  };
}

const PLANNED = 'campaign.planned';

type RevisionPlace = Pick<OutcomeRow, 'campaign' | 'revision'>;
const REVISIONS = columnsOf<RevisionPlace>('campaign uuid, revision int');

/**
 * The warnings of planned campaigns, by kind and campaign; of a recurrence those of the occurrences planned last. A statement of
 * its own: read_outcomes() joins no revision for this, and two releases side by side share that function. Primary key.
 */
async function warningsOf(
  sql: Sql,
  rows: readonly (RevisionPlace & Pick<OutcomeRow, 'kind'>)[],
): Promise<Map<string, readonly unknown[]>> {
  const planned = rows.filter(({ kind }) => kind === PLANNED);
  if (planned.length === 0) return new Map();
  const found = await sql.query<{ campaign: string; warnings: readonly unknown[] | null }>(
    `select r.campaign, r.plan -> 'warnings' as warnings
       from ${REVISIONS.from} as u
       join revision r on r.campaign = u.campaign and r.revision = u.revision`,
    REVISIONS.parametersOf(planned),
  );
  return new Map(found.map(({ campaign, warnings }) => [`${PLANNED} ${campaign}`, warnings ?? []]));
}

/** Call it once the brokers have them, in the transaction that holds the shards and read the page, as its first write. */
export const markOutcomes = (sql: Sql, { done }: Pick<OutcomePage, 'done'>): Promise<void> =>
  moveCursor(sql, MOVE, done);
