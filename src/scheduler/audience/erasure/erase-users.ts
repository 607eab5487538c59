// Works off erasures, page by page: some blocks of one table after the other, in passes over all tables until one finds nothing. Each
// page is a transaction that also says where the next begins; the page of a process that dies is done again by the next process.
import type { Clock } from '../../../platform/clock.js';
import { firstRow, type Database, type Sql } from '../../../platform/database/database.js';
import type { Blocks } from '../../store/send/erase-recipient.store.js';
import {
  anyErasureWaits,
  pageIsDone,
  putErasureLast,
  takeErasure,
  WAITS_MS,
  type ErasureTurn,
  type NextPage,
} from './erasure.store.js';
import { PLACES } from './places.js';

/** Blocks of one page, 1 MB: some ten thousand rows, or two million ids of long rows. */
const BLOCKS = 128;
/** Above every row of a block. */
const LAST_ROW = 65_535;

interface EraseUsersDeps {
  readonly database: Database;
  readonly clock: Clock;
  /** Asks for a round after so many real milliseconds. */
  readonly wakeIn?: (ms: number) => void;
  readonly blocks?: number;
}

export class EraseUsers {
  constructor(private readonly deps: EraseUsersDeps) {}

  /** One page of the erasure that has waited longest. Returns how many pages it did. */
  async runOnce(): Promise<number> {
    const { database, wakeIn } = this.deps;
    try {
      const did = await database.transaction((sql) => this.#page(sql));
      if (!did && wakeIn !== undefined && (await anyErasureWaits(database))) wakeIn(WAITS_MS);
      return did ? 1 : 0;
    } catch (error) {
      await putErasureLast(database).catch(() => undefined);
      throw error;
    }
  }

  async #page(sql: Sql): Promise<boolean> {
    const turn = await takeErasure(sql);
    if (turn === undefined) return false;
    const { blocks = BLOCKS, clock } = this.deps;
    const place = PLACES[turn.place];
    if (place === undefined) throw new Error(`there is no place ${turn.place}`);
    const partition = await partitionOf(sql, place.table, turn);
    const nextPlace: NextPage =
      turn.place + 1 < PLACES.length ? { place: turn.place + 1, partition: null, block: 0 } : undefined;
    const now = new Date(clock.now());
    if (partition === undefined) {
      await pageIsDone(sql, turn, { table: place.table, found: 0, waits: 0, next: nextPlace }, now);
      return true;
    }
    const from = partition.name === turn.partition ? turn.block : 0;
    const to = from + blocks;
    const erased = await place.page(sql, { ...turn, now }, rangeOf(partition.name, from, to));
    const isWhole = place.byKey === true || to >= partition.blocks;
    const next = isWhole
      ? partition.next === null
        ? nextPlace
        : { place: turn.place, partition: partition.next, block: 0 }
      : { place: turn.place, partition: partition.name, block: to };
    await pageIsDone(sql, turn, { table: place.table, ...erased, next }, now);
    return true;
  }
}

const rangeOf = (partition: string, from: number, to: number): Blocks => ({
  partition,
  from: `(${from},0)`,
  to: `(${to - 1},${LAST_ROW})`,
});

interface Partition {
  readonly name: string;
  /** How long it is now, in blocks. */
  readonly blocks: number;
  /** The partition after it, by name. */
  readonly next: string | null;
}

// The one for open sends first: a send that ends meanwhile comes to a partition that is read later. One that is gone is left out.
const PARTITIONS = `
select p.name, pg_relation_size(p.oid) / current_setting('block_size')::int as blocks,
       lead(p.name) over (order by p.place, p.name) as next, p.place, row_number() over (order by p.place, p.name) as nth
  from (select c.oid, c.relname::text as name, case when c.relname like '%\\_open' then 0 else 1 end as place
          from pg_partition_tree($1::regclass) t join pg_class c on c.oid = t.relid where t.isleaf
        union all
        select c.oid, c.relname::text, 0 from pg_class c where c.oid = $1::regclass and c.relkind = 'r') p`;

/** Where the page lies; undefined: the partition where it was to begin is gone, and no other follows. */
async function partitionOf(
  sql: Sql,
  table: string,
  { partition }: Pick<ErasureTurn, 'partition'>,
): Promise<Partition | undefined> {
  return firstRow<Partition>(
    sql,
    `select name, blocks::float8 as blocks, next from (${PARTITIONS}) p
      where $2::text is null or p.name = $2 or (p.place = 1 and p.name > $2) order by p.nth limit 1`,
    [table, partition],
  );
}
