// The cursor of each consumer and shard: the positions of outcomes that it has read, as ranges, so that holes are known
// (docs/decisions/0030). The rows of a page say which positions it has read; the cursor moves in the same transaction.
import { columnsOf } from '../../../platform/database/row-arrays.js';
import type { Sql } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/pooled-database.js';
import type { Consumer } from './consumers.js';

/** An outcome that the cursor had not read, with the state of the cursor. */
export interface CursorRow {
  readonly shard: number;
  /** The cursor has too many ranges: outcomes above its top are not read, only those in its holes. */
  readonly waits: true | null;
  /** Positions up to here that were not read were rolled back and never come. */
  readonly fill_to: string | null;
  /** The database was restored elsewhere, and its transaction ids begin anew below hole_xmax. */
  readonly restored: true | null;
  /** null: the shard has no rows. */
  readonly position: string | null;
}

export interface ShardDone {
  readonly shard: number;
  readonly positions: readonly string[];
  /** Every hole up to here was left by a rollback. */
  readonly fill: string | null;
  readonly restored: boolean;
}

export interface ReadShards {
  /** There may be further rows. */
  readonly more: boolean;
  /** How many shards had rows. */
  readonly busy: number;
  /** Shards that wait at their lowest hole. */
  readonly waiting: readonly number[];
  /** For moveCursor(). */
  readonly done: readonly ShardDone[];
}

/** Sums up a page by shard; `isCut`: it had no room for all rows of these shards. */
export function readShards(
  rows: readonly CursorRow[],
  page: { readonly rowsOfShard: number; readonly isCut: boolean },
): ReadShards {
  const byShard = new Map<number, [CursorRow, ...CursorRow[]]>();
  for (const row of rows) {
    const others = byShard.get(row.shard);
    if (others === undefined) byShard.set(row.shard, [row]);
    else others.push(row);
  }
  const done = [...byShard.values()].map((ofShard) => shardDone(ofShard, page));
  const busy = done.filter(({ positions }) => positions.length > 0);
  const waiting = [...byShard].flatMap(([shard, [{ waits }]]) => (waits === true ? [shard] : []));
  return {
    more:
      page.isCut ||
      busy.some(({ positions }) => positions.length === page.rowsOfShard) ||
      done.some(({ shard, fill }) => fill !== null && waiting.includes(shard)),
    busy: busy.length,
    waiting,
    done: done.filter(({ positions, fill, restored }) => positions.length > 0 || fill !== null || restored),
  };
}

/**
 * Every transaction that may have drawn a position up to fill_to had ended when these rows were read. So missing positions up to there
 * were rolled back, as far as the shard was read.
 */
function shardDone(
  rows: readonly [CursorRow, ...CursorRow[]],
  { rowsOfShard, isCut }: { readonly rowsOfShard: number; readonly isCut: boolean },
): ShardDone {
  const [{ shard, fill_to: top, restored }] = rows;
  const positions = rows.flatMap(({ position }) => (position === null ? [] : [position]));
  const isWhole = !isCut && positions.length < rowsOfShard;
  const last = positions.at(-1) ?? null;
  const isRead = isWhole || (last !== null && top !== null && BigInt(last) > BigInt(top));
  return { shard, positions, fill: top === null || isRead ? top : last, restored: restored === true };
}

const DONE = columnsOf<Omit<ShardDone, 'positions'> & { readonly read: string }>(
  'shard smallint, fill bigint, restored boolean, read int8multirange',
);

// This transaction gets its id only after it has read the rows. A transaction draws a position only after it has written its row, and so
// has an id by then. So this id is above those of all transactions that drew a position up to the highest one read. It waits for no
// lock: only the process that holds the shard's lock writes its cursor.
const MOVE = prepared(`
with page as (
  select k.shard, k.hole_top, f.fill, f.restored,
         k.done + f.read + case when f.fill is null then '{}' else int8multirange(int8range(null, f.fill, '[]')) end as done
    from ${DONE.from} as f
    join outcome_cursor k on k.shard = f.shard and k.consumer = $5),
judged as (
  select p.*, p.done <> int8multirange(range_merge(p.done)) as holes,
         p.hole_top is null or p.restored or coalesce(p.hole_top <= p.fill, false) as anew
    from page p)
update outcome_cursor c
   set done = j.done,
       hole_top = case when not j.holes then null when j.anew then upper(range_merge(j.done)) - 1 else c.hole_top end,
       hole_xmax = case when not j.holes then null when j.anew then pg_current_xact_id() else c.hole_xmax end
  from judged j where c.consumer = $5 and c.shard = j.shard`);

/** Runs in the transaction that holds the shards and read the page; that transaction must not have written before it read. */
export async function moveCursor(sql: Sql, consumer: Consumer, done: readonly ShardDone[]): Promise<void> {
  if (done.length === 0) return;
  const rows = done.map(({ positions, ...shard }) => ({
    ...shard,
    read: `{${positions.map((position) => `[${position},${position}]`).join()}}`,
  }));
  await sql.query(MOVE, [...DONE.parametersOf(rows), consumer]);
}
