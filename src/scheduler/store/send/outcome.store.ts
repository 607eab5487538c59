// What became of sends, occurrences and campaigns: written by the statement that made it so (the triggers of send and
// tell_campaign), published afterwards by publish/publish-outcomes.ts. A shard's events have positions of their own; its
// cursor holds those that are published, as ranges (docs/decisions/0030).
import { columnsOf } from '../../../platform/database/columns.js';
import type { Sql } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/pooled-database.js';

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

interface ShardDone {
  readonly shard: number;
  readonly positions: readonly string[];
  /** Up to here every hole is of a rollback. */
  readonly fill: string | null;
  readonly restored: boolean;
}

/** What of a cursor is rarely said is null where it is not so. */
interface FoundRow extends Omit<OutcomeRow, 'campaign' | 'warnings'> {
  /** Null: its send is gone, or the row is of a shard that has none. */
  readonly campaign: string | null;
  readonly shard: number;
  readonly waits: true | null;
  /** Up to here whatever is not read will never come. */
  readonly fill_to: string | null;
  readonly restored: true | null;
  readonly seen: string;
  readonly position: string | null;
}

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
  const byShard = new Map<number, [FoundRow, ...FoundRow[]]>();
  for (const row of rows) {
    const others = byShard.get(row.shard);
    if (others === undefined) byShard.set(row.shard, [row]);
    else others.push(row);
  }
  const found = rows.filter(({ position }) => position !== null).length;
  const isCut = rows.length === ask.rows || found < Number(rows[0]?.seen ?? 0);
  const done = [...byShard.values()].map((ofShard) => shardDone(ofShard, ask, isCut));
  const busy = done.filter(({ positions }) => positions.length > 0);
  const waiting = [...byShard].flatMap(([shard, [{ waits }]]) => (waits === true ? [shard] : []));
  // Of a send that is gone nobody can say any more what was to be told.
  const told = rows.filter((row): row is FoundRow & { campaign: string } => row.campaign !== null);
  const warnings = await warningsOf(sql, told);
  return {
    outcomes: told.map((row) => ({ ...row, warnings: warnings.get(`${row.kind} ${row.campaign}`) ?? null })),
    more:
      isCut ||
      busy.some(({ positions }) => positions.length === ask.rowsOfShard) ||
      done.some(({ shard, fill }) => fill !== null && waiting.includes(shard)),
    busy: busy.length,
    waiting,
    done: done.filter(({ positions, fill, restored }) => positions.length > 0 || fill !== null || restored),
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

/**
 * Where every transaction that may have drawn a position up to fill_to had ended when these rows were read, what was not
 * read up to there was rolled back; but only as far as they were read.
 */
function shardDone(rows: readonly [FoundRow, ...FoundRow[]], ask: OutcomeAsk, isCut: boolean): ShardDone {
  const [{ shard, fill_to: top, restored }] = rows;
  const positions = rows.flatMap(({ position }) => (position === null ? [] : [position]));
  const isWhole = !isCut && positions.length < ask.rowsOfShard;
  const last = positions.at(-1) ?? null;
  const isRead = isWhole || (last !== null && top !== null && BigInt(last) > BigInt(top));
  return { shard, positions, fill: top === null || isRead ? top : last, restored: restored === true };
}

const DONE = columnsOf<Omit<ShardDone, 'positions'> & { readonly read: string }>(
  'shard smallint, fill bigint, restored boolean, read int8multirange',
);

// The transaction has written nothing before, so its own id, drawn here, is above that of everyone who drew a position up
// to the highest that is published: whoever draws one has written its row before. Nobody waits, for who has the shard's lock
// alone writes its cursor (sql/scheduler/functions/publish_cursor_move.sql).
const MARK = prepared(`
with done as (
  select k.shard, k.hole_top, f.fill, f.restored,
         k.published + f.read + case when f.fill is null then '{}' else int8multirange(int8range(null, f.fill, '[]')) end as published
    from ${DONE.from} as f
    join publish_cursor k on k.shard = f.shard),
judged as (
  select d.*, d.published <> int8multirange(range_merge(d.published)) as holes,
         d.hole_top is null or d.restored or coalesce(d.hole_top <= d.fill, false) as anew
    from done d)
update publish_cursor c
   set published = j.published,
       hole_top = case when not j.holes then null when j.anew then upper(range_merge(j.published)) - 1 else c.hole_top end,
       hole_xmax = case when not j.holes then null when j.anew then pg_current_xact_id() else c.hole_xmax end
  from judged j where c.shard = j.shard`);

/** Once the brokers have them: in the transaction that holds the shards and read the page, as its first write. */
export async function markOutcomes(sql: Sql, { done }: Pick<OutcomePage, 'done'>): Promise<void> {
  if (done.length === 0) return;
  const rows = done.map(({ positions, ...shard }) => ({
    ...shard,
    read: `{${positions.map((position) => `[${position},${position}]`).join()}}`,
  }));
  await sql.query(MARK, DONE.parametersOf(rows));
}
