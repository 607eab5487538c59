// Notes how far one project's work was read, and what the next read is to bring. Reads nothing itself.
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import type { FoundWork, ReadPage, ReadPlace } from '../store/send/read-work.store.js';

/** One statement that read pages of several projects. */
interface Read {
  readonly isRound: boolean;
  /** Whether it reached the statement's limit, for fresh and for late work. */
  readonly isCut: { readonly fresh: boolean; readonly late: boolean };
  /** A page that was not full has all late work up to this instant. */
  readonly lateUpTo: EpochMs;
}

export class ProjectReads {
  /**
   * All of its late work up to this place was read, and has left or is held. So a read that begins here misses only work that
   * appeared before this place since.
   */
  #late: ReadPlace = { at: 0 };
  #mayHaveLate = false;
  /** The place where the last read ended, if fresh work may be left behind it. */
  #fresh: ReadPlace | undefined;
  /** Only a round may bring more: the last one had no room, or left late work of other slices, or work was given back. */
  awaitsRound = false;

  /** Whether a read further on may bring more. */
  get mayHaveMore(): boolean {
    return this.#mayHaveLate || this.#fresh !== undefined;
  }

  /** The page that a read further on is to bring. */
  further(room: number): ReadPage {
    return {
      room,
      ...(this.#mayHaveLate && { late: this.#late }),
      ...(this.#fresh !== undefined && { fresh: this.#fresh }),
    };
  }

  /** The place from which a round reads late work, if not from the start: at most `most`. */
  lateFrom(most: EpochMs): ReadPlace {
    return this.#late.at < most ? this.#late : { at: most };
  }

  /** Has the next round read from this instant at the latest. */
  stepBack(at: EpochMs): void {
    if (at <= this.#late.at) this.#late = { at: at - 1 };
  }

  /** Leaves all further work to the next round. */
  awaitRound(): void {
    this.#mayHaveLate = false;
    this.#fresh = undefined;
    this.awaitsRound = true;
  }

  /** Notes the work that a read found for this page. */
  saw(found: readonly FoundWork[], { room, ...from }: ReadPage, { isRound, isCut, lateUpTo }: Read): void {
    if (room <= 0) {
      this.awaitsRound = true;
      return;
    }
    const of = (kind: FoundWork['kind']) => found.filter((one) => one.kind === kind);
    const [fresh, late, others] = [of('fresh'), of('late'), of('others').length];
    // Where a round found none, the next round reads from its own place.
    const before = isRound ? {} : from;
    this.#fresh = isCut.fresh || fresh.length >= room ? (placeOf(fresh) ?? before.fresh) : undefined;
    if (from.late === undefined) return;
    // As read_work() divides the room.
    const lateRoom = Math.max(Math.ceil(room / 2), room - fresh.length);
    const isLateCut = isCut.late || late.length + others >= lateRoom;
    const place = placeOf(late) ?? before.late;
    this.#late = isLateCut ? (place ?? this.#late) : { at: lateUpTo };
    this.#mayHaveLate = isLateCut && place !== undefined;
    this.awaitsRound = isLateCut && others > 0;
  }
}

function placeOf(found: readonly FoundWork[]): ReadPlace | undefined {
  const last = found.at(-1);
  return last && { at: last.nextAt, chunk: last.chunk, id: last.id };
}
