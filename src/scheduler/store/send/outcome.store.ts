// What became of sends, occurrences and campaigns: written by the statement that made it so (the triggers of send and
// tell_campaign), published afterwards by publish/publish-outcomes.ts. A shard's events have positions of their own; its
// cursor holds those that are published, as ranges (docs/decisions/0030).
import type { Sql } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/pooled-database.js';
import { cursorMove, moveCursor, readShards, type CursorRow, type ShardDone } from '../event-cursor.js';

/** What became of a send, an occurrence or a campaign; what is not meant of it is null. */
export interface OutcomeRow {
  /** The same whoever publishes it, however often. */
  readonly id: string;
  /** The event's type between `carillon.outcome.` and its version. */
  readonly kind: string;
  readonly serviceId: string;
  readonly campaignId: string;
  readonly campaign: string;
  /** Per send; per campaign for its own and its occurrences'. */
  readonly sequence: number;
  readonly revision: number;
  readonly occurrence: string | null;
  readonly state: string;
  readonly code: string | null;
  readonly detail: string | null;
  readonly at: Date;
  /** Every problem found, of a rejected campaign. */
  readonly problems: readonly unknown[] | null;
  /** Of a planned campaign: what its plan warns of. */
  readonly warnings: readonly unknown[] | null;
  /** As text: a campaign's are sums. */
  readonly targetCount: string | null;
  readonly sentCount: string | null;
  /** Of a send alone. */
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
  /** The page takes from the first ones first. */
  readonly shards: readonly number[];
  readonly rowsOfShard: number;
  readonly rows: number;
  /** Of what they come to as events, about; but at least one row. */
  readonly bytes: number;
  /** With more of them in its cursor, nothing above its top is read of a shard, only what fills its holes. */
  readonly ranges: number;
}

export interface OutcomePage {
  readonly outcomes: readonly OutcomeRow[];
  /** Shards that still have rows, for all we know. */
  readonly more: boolean;
  /** How many shards these are of. */
  readonly busy: number;
  /** Those that wait at their lowest hole. */
  readonly waiting: readonly number[];
  /** For markOutcomes. */
  readonly done: readonly ShardDone[];
}

interface FoundRow extends Omit<OutcomeRow, 'campaign' | 'warnings'>, CursorRow {
  /** Null: its send is gone, or the row is of a shard that has none. */
  readonly campaign: string | null;
  readonly seen: string;
}

const MOVE = cursorMove('publish_cursor', 'published');

// sql/scheduler/functions/read_outcomes.sql. Index send_event_position, one probe for each hole of a shard and one above its
// top, so that a page reads a page, however much is published or waits; the sends, campaigns and cells by primary key.
const READ = prepared('select * from read_outcomes($1, $2, $3, $4, $5)');

/**
 * The next outcomes of these shards, of each in the order of their positions. Those beyond a hole are read too: what is
 * missing was drawn by a transaction that has not committed, and is read when it has. It is about other sends, for a
 * send's change is drawn only when the one before it is there to be seen.
 */
export async function readOutcomes(sql: Sql, ask: OutcomeAsk): Promise<OutcomePage> {
  const rows = await sql.query<FoundRow>(READ, [
    ask.shards,
    ask.rowsOfShard,
    ask.rows,
    ask.bytes,
    ask.ranges,
  ]);
  const found = rows.filter(({ position }) => position !== null).length;
  const isCut = rows.length === ask.rows || found < Number(rows[0]?.seen ?? 0);
  const { done, more, busy, waiting } = readShards(rows, { rowsOfShard: ask.rowsOfShard, isCut });
  // Of a send that is gone nobody can say any more what was to be told.
  const told = rows.filter((row): row is FoundRow & { campaign: string } => row.campaign !== null);
  const warnings = await warningsOf(sql, told);
  return {
    outcomes: told.map((row) => ({ ...row, warnings: warnings.get(`${row.kind} ${row.campaign}`) ?? null })),
    more,
    busy,
    waiting,
    done,
  };
}

const PLANNED = 'campaign.planned';

/**
 * By kind and campaign, where one was planned; of a recurrence those of the occurrences planned last. A statement of its own,
 * where it is meant alone: read_outcomes() joins nothing else of a revision, and the releases side by side share it. Primary key.
 */
async function warningsOf(
  sql: Sql,
  rows: readonly { kind: string; campaign: string; revision: number }[],
): Promise<Map<string, readonly unknown[]>> {
  const planned = rows.filter(({ kind }) => kind === PLANNED);
  if (planned.length === 0) return new Map();
  const found = await sql.query<{ campaign: string; warnings: readonly unknown[] | null }>(
    `select r.campaign, r.plan -> 'warnings' as warnings
       from unnest($1::uuid[], $2::int[]) as u(campaign, revision)
       join revision r on r.campaign = u.campaign and r.revision = u.revision`,
    [planned.map(({ campaign }) => campaign), planned.map(({ revision }) => revision)],
  );
  return new Map(found.map(({ campaign, warnings }) => [`${PLANNED} ${campaign}`, warnings ?? []]));
}

/** Once the brokers have them: in the transaction that holds the shards and read the page, as its first write. */
export const markOutcomes = (sql: Sql, { done }: Pick<OutcomePage, 'done'>): Promise<void> =>
  moveCursor(sql, MOVE, done);
