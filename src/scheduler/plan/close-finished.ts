// Moves campaigns and occurrences on as their sends move: to running at the first hand-off, to their end when every
// newest send is final or uncertain. Looks only at what triggers named as touched; never moves a send. The sends are
// looked through before anything is locked, and what moves meanwhile touches its campaign again.
import type { Clock } from '../../platform/clock.js';
import type { Database, Sql } from '../../platform/database/database.js';
import {
  beginRunning,
  endCampaigns,
  endOccurrences,
  readTouched,
  takeTouched,
  tellCorrected,
  touchedOccurrences,
  touchedSince,
  type OccurrenceKey,
  type Touched,
} from '../store/send/close.store.js';
import { LookThrough, keyOf, type LookedThrough } from './look-through.js';

/** As it stands in campaign_history. */
const BY = 'close';

/** Touches read in one round; a burst of one campaign's sends counts as one campaign. */
const TOUCHES = 2_000;

export class CloseFinished {
  readonly #looks: LookThrough;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    /** Sends of one page. */
    page?: number,
  ) {
    this.#looks = new LookThrough(database, page);
  }

  /** Returns how many campaigns it looked at, 0 when nothing moved or all of it is locked elsewhere. */
  async runOnce(): Promise<number> {
    let done = 0;
    for (let after: string | undefined = '0'; after !== undefined;) {
      const touched: Touched[] = await readTouched(this.database, after, TOUCHES);
      if (touched.length > 0) done += await this.#close(touched);
      // What is locked elsewhere stays for later, and must not hide what comes after it.
      after = touched.length === TOUCHES ? touched.at(-1)?.id : undefined;
    }
    return done;
  }

  async #close(touched: readonly Touched[]): Promise<number> {
    const looked = await this.#looks.run(await touchedOccurrences(this.database, touched));
    return this.database.transaction(async (sql) => {
      const locked = await takeTouched(sql, touched);
      const own = new Set(locked.map(({ id }) => id));
      if (own.size === 0) return 0;
      const now = this.clock.now();
      await beginRunning(sql, begunOf(touched, looked, own), now, BY);
      await this.#end(sql, looked, own, now);
      const published = new Set(touched.filter((one) => one.published).map(({ campaign }) => campaign));
      const corrected = locked.filter(({ id, closed }) => closed && published.has(id)).map(({ id }) => id);
      await tellCorrected(sql, corrected, now);
      return own.size;
    });
  }

  /** Not what was touched again since: it is looked at once more. */
  async #end(
    sql: Sql,
    looked: readonly LookedThrough[],
    own: ReadonlySet<string>,
    now: number,
  ): Promise<void> {
    const since = await touchedSince(sql, [...own]);
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
    await endCampaigns(
      sql,
      [...own].filter((id) => !moving.has(id)),
      now,
      BY,
    );
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
