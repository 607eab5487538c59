// Claims the campaigns that are to be planned next. While somebody holds a snapshot, a read from the start also passes every
// campaign that was planned since. So between such reads it continues from where it read a while ago (docs/decisions/0034). Plans
// nothing.
import type { Clock, EpochMs } from '../../platform/clock.js';
import type { Database } from '../../platform/database/database.js';
import { COMMITTED_MS, FullReads } from '../../platform/loops/full-reads.js';
import {
  claimToPlan,
  FROM_START,
  readInOrder,
  type Claim,
  type ClaimLimit,
  type ClaimPlace,
} from './plan.store.js';

interface ClaimDueDeps {
  readonly database: Database;
  readonly clock: Clock;
  /** The author named in history rows. */
  readonly by: string;
  /** The most that one claim takes. */
  readonly limit: ClaimLimit;
  /** When to read from the start again. */
  readonly fullReads?: FullReads | undefined;
}

const FULL_READS = { everyMs: 0, oneIn: 20 };

export class ClaimDue {
  readonly #fullReads: FullReads;
  /** The place up to which each read came, and when, by elapsed(). A read that is old enough sets #from, where reading continues. */
  #read: { readonly at: number; readonly place: ClaimPlace }[] = [];
  #from = FROM_START;
  #newest = FROM_START;
  #now = -Infinity;

  constructor(private readonly deps: ClaimDueDeps) {
    this.#fullReads = deps.fullReads ?? new FullReads(deps.clock, FULL_READS);
  }

  async claim(): Promise<Claim> {
    const { clock } = this.deps;
    const [at, now] = [clock.elapsed(), clock.now()];
    this.#movePlace(at, now);
    const claim = this.#fullReads.isTime
      ? await this.#fullReads.read(() => this.#claimFrom(FROM_START, now))
      : await this.#claimFrom(this.#from, now);
    this.#readUpTo(at, placeAfter(this.#newest, claim, now));
    return claim;
  }

  #claimFrom(from: ClaimPlace, now: EpochMs): Promise<Claim> {
    const { database, by, limit } = this.deps;
    return database.transaction(async (sql) => {
      await readInOrder(sql);
      return claimToPlan(sql, { now, by, limit, from });
    });
  }

  /** If something is left before the places read so far, reading continues from there. */
  #readUpTo(at: number, place: ClaimPlace): void {
    this.#from = lowerOf(this.#from, place);
    this.#read = this.#read.map((one) => ({ at: one.at, place: lowerOf(one.place, place) }));
    this.#read.push({ at, place });
    this.#newest = place;
  }

  #movePlace(at: number, now: EpochMs): void {
    // After a clock was set back, new work lies before the places that were read.
    if (now < this.#now) {
      this.#read = [];
      this.#from = this.#newest = FROM_START;
    }
    this.#now = now;
    const committed = this.#read.filter((read) => read.at <= at - COMMITTED_MS);
    this.#read.splice(0, committed.length);
    this.#from = committed.at(-1)?.place ?? this.#from;
  }
}

/** The place before which everything is claimed. */
function placeAfter(before: ClaimPlace, { claimed, left, isAll }: Claim, now: EpochMs): ClaimPlace {
  const born = claimed.flatMap(({ id, dueAt }) => (dueAt === null ? id : []));
  const dues = claimed.flatMap(({ dueAt }) => dueAt ?? []);
  const last = born.reduce((high, id) => (id > high ? id : high), FROM_START.born);
  // A claim finds new campaigns first: if it found others too, no new one is left.
  const areMoreNew = !isAll && dues.length === 0 && left.due === undefined;
  const after = {
    born: areMoreNew || last > before.born ? last : before.born,
    due: isAll ? now : dues.length > 0 ? Math.max(...dues) : before.due,
  };
  return lowerOf(after, { born: left.born ?? after.born, due: left.due ?? after.due });
}

function lowerOf(one: ClaimPlace, other: ClaimPlace): ClaimPlace {
  return {
    born: one.born < other.born ? one.born : other.born,
    due: Math.min(one.due, other.due),
  };
}
