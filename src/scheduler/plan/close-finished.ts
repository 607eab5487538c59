// Moves campaigns and occurrences on as their sends move: to running at the first hand-off, to their end when every
// newest send is final or uncertain. Looks only at what triggers named as touched; never moves a send. The sends are
// looked through before a campaign is locked, and what moves meanwhile touches its campaign again. A campaign has one closer at
// a time, by its shard: another could take the very touch by which the first learns that what it saw no longer holds.
import type { Clock } from '../../platform/clock.js';
import type { Database, Sql } from '../../platform/database/database.js';
import { COMMITTED_MS, FullReads } from '../../platform/full-reads.js';
import {
  beginRunning,
  endCampaigns,
  endOccurrences,
  lockTouched,
  readTouched,
  takeTouched,
  tellCorrected,
  touchedOccurrences,
  touchedShards,
  touchedSince,
  type OccurrenceKey,
  type Touched,
  type TouchedShard,
} from '../store/send/close.store.js';
import { holdShards } from '../store/hold-shards.js';
import { LookThrough, keyOf, type LookedThrough } from './look-through.js';

/** As it stands in campaign_history. */
const BY = 'close';

/** Touches read in one round; a burst of one campaign's sends counts as one campaign. */
const TOUCHES = 2_000;

export class CloseFinished {
  readonly #looks: LookThrough;
  readonly #fullReads: FullReads;
  /** What was read up to, and when, by elapsed(). */
  #read: { readonly at: number; readonly last: bigint }[] = [];
  /** Of touches up to this id none is left, but for what is committed after all: a read from the start finds it. */
  #floor = 0n;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    /** Sends of one page. */
    page?: number,
  ) {
    this.#looks = new LookThrough(page);
    this.#fullReads = new FullReads(clock, { everyMs: 0, oneIn: 20 });
  }

  /** Returns how many campaigns it looked at; 0 when nothing moved, all of it is locked, or another one closes. */
  async runOnce(): Promise<number> {
    const at = this.clock.elapsed();
    const shards = await this.#shards();
    let done = 0;
    let left: bigint | undefined;
    for (const { shard, first } of shards) {
      for (let after: string | undefined = String(BigInt(first) - 1n); after !== undefined;) {
        const from: string = after;
        const page = await this.database.transaction((sql) => this.#page(sql, shard, from));
        done += page.done;
        for (const id of page.left ?? [first]) if (left === undefined || BigInt(id) < left) left = BigInt(id);
        // What is locked elsewhere stays for later, and must not hide what comes after it.
        after = page.next;
      }
    }
    this.#moveFloor(shards, at, left);
    return done;
  }

  /** All of them, or what came lately, where so many are deleted and not gone that reading over them took too long. */
  #shards(): Promise<TouchedShard[]> {
    if (!this.#fullReads.isTime) return touchedShards(this.database, String(this.#floor));
    return this.#fullReads.read(() => touchedShards(this.database, '0'));
  }

  #moveFloor(shards: readonly TouchedShard[], at: number, left: bigint | undefined): void {
    if (shards.length > 0) {
      const lasts = shards.map(({ last }) => BigInt(last));
      this.#read.push({ at, last: lasts.reduce((high, one) => (one > high ? one : high)) });
    }
    let first = this.#read[0];
    while (first !== undefined && first.at <= at - COMMITTED_MS) {
      if (first.last > this.#floor) this.#floor = first.last;
      this.#read.shift();
      first = this.#read[0];
    }
    if (left !== undefined && left <= this.#floor) this.#floor = left - 1n;
  }

  /** `left`: the ids that stay; undefined: all of the shard. */
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
    const looked = await this.#looks.run(sql, await touchedOccurrences(sql, touched));
    const locked = await lockTouched(sql, touched);
    const own = new Set(locked.map(({ id }) => id));
    if (own.size === 0) return { done: 0, left: touched.map(({ id }) => id) };
    const now = this.clock.now();
    await beginRunning(sql, begunOf(touched, looked, own), now, BY);
    // What was touched again since is looked at once more.
    const since = await touchedSince(sql, [...own], touched);
    const again = new Set(since.map(keyOf));
    const ended = looked.flatMap(({ key, sums }) =>
      sums !== undefined &&
      own.has(key.campaign) &&
      !again.has(keyOf(key)) &&
      !again.has(keyOf({ campaign: key.campaign, occurrence: null }))
        ? [{ ...key, ...sums }]
        : [],
    );
    await endOccurrences(sql, ended, now);
    const moving = new Set(since.map(({ campaign }) => campaign));
    const still = locked.filter(({ id }) => !moving.has(id));
    await endCampaigns(
      sql,
      still.map(({ id }) => id),
      now,
      BY,
    );
    const published = new Set(touched.filter((one) => one.published).map(({ campaign }) => campaign));
    const corrected = still.filter(({ id, closed }) => closed && published.has(id)).map(({ id }) => id);
    await tellCorrected(sql, corrected, now);
    // What a closed campaign has come to is told with sums that hold: of one that moves, in a later round.
    const untold = new Set(locked.filter(({ id, closed }) => closed && moving.has(id)).map(({ id }) => id));
    const done = touched.filter(
      (one) => own.has(one.campaign) && !(one.published && untold.has(one.campaign)),
    );
    await takeTouched(sql, done);
    const taken = new Set(done);
    return { done: own.size, left: touched.filter((one) => !taken.has(one)).map(({ id }) => id) };
  }
}

function begunOf(
  touched: readonly Touched[],
  looked: readonly LookedThrough[],
  own: ReadonlySet<string>,
): OccurrenceKey[] {
  const named = touched.flatMap(({ campaign, occurrence, began }) =>
    began && occurrence !== null ? [{ campaign, occurrence }] : [],
  );
  const seen = looked.filter(({ begun }) => begun).map(({ key }) => key);
  const all = new Map([...named, ...seen].map((key) => [keyOf(key), key]));
  return [...all.values()].filter(({ campaign }) => own.has(campaign));
}
