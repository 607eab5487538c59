// Moves campaigns and occurrences on as their sends move: to running at the first hand-off, to their end when every newest
// send is final or uncertain. Looks only at what triggers marked as touched, and moves no send. It sums the sends before it locks
// a campaign, and a send that moves meanwhile touches its campaign again. By its shard, a campaign has one closer at a time: two
// could delete each other's touches, and then neither would see that its sums are out of date.
import type { Clock } from '../../platform/clock.js';
import type { Database, Sql } from '../../platform/database/database.js';
import { COMMITTED_MS, FullReads } from '../../platform/loops/full-reads.js';
import {
  beginRunning,
  endCampaigns,
  endOccurrences,
  lockTouched,
  readTouched,
  takeTouched,
  writeCorrected,
  touchedOccurrences,
  touchedShards,
  touchedSince,
  type OccurrenceKey,
  type Touched,
  type TouchedShard,
} from '../store/send/close.store.js';
import { holdShards } from '../store/hold-shards.js';
import { SumNewestSends, keyOf, type SummedOccurrence } from './sum-newest-sends.js';

/** The author named in campaign_history. */
const BY = 'close';

/** Touches read at a time; a burst of one campaign's sends counts as one campaign. */
const TOUCHES = 2_000;

export class CloseFinished {
  readonly #sums: SumNewestSends;
  readonly #fullReads: FullReads;
  /** The highest id that was read in a shard, and when, by elapsed(). */
  #read: { readonly at: number; readonly last: bigint }[] = [];
  /** No touch up to this id is left, except one that was committed very late: a read from the start finds it. */
  #floor = 0n;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    /** The number of sends in one page. */
    page?: number,
  ) {
    this.#sums = new SumNewestSends(page);
    this.#fullReads = new FullReads(clock, { everyMs: 0, oneIn: 20 });
  }

  /** Returns how many campaigns it looked at; 0 where nothing moved, everything is locked, or another closer works. */
  async runOnce(): Promise<number> {
    const at = this.clock.elapsed();
    const shards = await this.#shards();
    let done = 0;
    const left: bigint[] = [];
    for (const { shard, first } of shards) {
      for (let after: string | undefined = String(BigInt(first) - 1n); after !== undefined;) {
        const from: string = after;
        const page = await this.database.transaction((sql) => this.#page(sql, shard, from));
        done += page.done;
        left.push(...(page.left ?? [first]).map(BigInt));
        // Touches of campaigns that are locked elsewhere stay for later, and must not hide those after them.
        after = page.next;
      }
    }
    this.#moveFloor(shards, at, left);
    return done;
  }

  /** All touches; or only recent ones, while a read of all of them would pass too many deleted rows. */
  #shards(): Promise<TouchedShard[]> {
    if (!this.#fullReads.isTime) return touchedShards(this.database, String(this.#floor));
    return this.#fullReads.read(() => touchedShards(this.database, '0'));
  }

  #moveFloor(shards: readonly TouchedShard[], at: number, left: readonly bigint[]): void {
    this.#read.push(...shards.map(({ last }) => ({ at, last: BigInt(last) })));
    const committed = this.#read.filter((read) => read.at <= at - COMMITTED_MS);
    this.#read.splice(0, committed.length);
    for (const { last } of committed) if (last > this.#floor) this.#floor = last;
    for (const id of left) if (id <= this.#floor) this.#floor = id - 1n;
  }

  /** `left` has the ids that stay; undefined where the whole shard does. */
  async #page(
    sql: Sql,
    shard: number,
    after: string,
  ): Promise<{ done: number; left?: readonly string[]; next?: string | undefined }> {
    const [held] = await holdShards(sql, 'close', [shard]);
    if (held === undefined) return { done: 0 };
    const touched = await readTouched(sql, shard, after, TOUCHES);
    const { done, left } = touched.length === 0 ? { done: 0, left: [] } : await this.#close(sql, touched);
    return { done, left, next: touched.length === TOUCHES ? touched.at(-1)?.id : undefined };
  }

  async #close(sql: Sql, touched: readonly Touched[]): Promise<{ done: number; left: readonly string[] }> {
    const summed = await this.#sums.run(sql, await touchedOccurrences(sql, touched));
    const locked = await lockTouched(sql, touched);
    const ids = new Set(locked.map(({ id }) => id));
    if (ids.size === 0) return { done: 0, left: touched.map(({ id }) => id) };
    const now = this.clock.now();
    await beginRunning(sql, begunOf(touched, summed, ids), now, BY);
    // Campaigns that were touched again meanwhile are looked at once more.
    const since = await touchedSince(sql, [...ids], touched);
    const again = new Set(since.map(keyOf));
    const ended = summed.flatMap(({ campaign, occurrence, sums }) => {
      if (sums === undefined || !ids.has(campaign)) return [];
      const keys = [occurrence, null].map((named) => keyOf({ campaign, occurrence: named }));
      return keys.some((key) => again.has(key)) ? [] : [{ campaign, occurrence, ...sums }];
    });
    await endOccurrences(sql, ended, now);
    const moving = new Set(since.map(({ campaign }) => campaign));
    const still = locked.filter(({ id }) => !moving.has(id));
    const stillIds = still.map(({ id }) => id);
    await endCampaigns(sql, stillIds, now, BY);
    const published = new Set(touched.filter((one) => one.published).map(({ campaign }) => campaign));
    const corrected = still.filter(({ id, closed }) => closed && published.has(id)).map(({ id }) => id);
    await writeCorrected(sql, corrected, now);
    // The outcome of a closed campaign is published with sums that no longer change: if its sends still move, in a later round.
    const notPublished = new Set(
      locked.filter(({ id, closed }) => closed && moving.has(id)).map(({ id }) => id),
    );
    const isDone = (one: Touched): boolean =>
      ids.has(one.campaign) && !(one.published && notPublished.has(one.campaign));
    await takeTouched(sql, touched.filter(isDone));
    return { done: ids.size, left: touched.filter((one) => !isDone(one)).map(({ id }) => id) };
  }
}

function begunOf(
  touched: readonly Touched[],
  summed: readonly SummedOccurrence[],
  locked: ReadonlySet<string>,
): OccurrenceKey[] {
  const keys = [...touched.filter(({ began }) => began), ...summed.filter(({ begun }) => begun)].flatMap(
    ({ campaign, occurrence }) =>
      occurrence !== null && locked.has(campaign) ? [{ campaign, occurrence }] : [],
  );
  return [...new Map(keys.map((key) => [keyOf(key), key])).values()];
}
