// How far one project's work of a kind was read, and what the next read is to bring. Reads nothing itself.
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import type { FoundWork, ReadPage, ReadPlace } from '../store/send/read-work.store.js';

/** How a read went that brought pages of several projects. */
interface Read {
  readonly isRound: boolean;
  /** Whether it ended at its own limit, in each part. */
  readonly isCut: { readonly fresh: boolean; readonly late: boolean };
  /** A page that was not full has all late work up to here. */
  readonly lateUpTo: EpochMs;
}

export class ProjectReads {
  /**
   * All of its late work up to this place was read, from wherever the reads began, and has gone or is held: a read that begins
   * here misses only what became late behind it.
   */
  #late: ReadPlace = { at: 0 };
  #mayHaveLate = false;
  /** Where the last read ended that may have left fresh work. */
  #fresh: ReadPlace | undefined;
  /** Only a round may bring more: the last one had no room, or left late work of other slices, or something came back. */
  awaitsRound = false;

  /** Whether a read further on may bring more. */
  get mayHaveMore(): boolean {
    return this.#mayHaveLate || this.#fresh !== undefined;
  }

  /** What a read further on is to bring. */
  further(room: number): ReadPage {
    return {
      room,
      ...(this.#mayHaveLate && { late: this.#late }),
      ...(this.#fresh !== undefined && { fresh: this.#fresh }),
    };
  }

  /** Where late work is read from, between reads from the start: no further on than `most`. */
  lateFrom(most: EpochMs): ReadPlace {
    return this.#late.at < most ? this.#late : { at: most };
  }

  /** A round is to bring what is there at this instant. */
  stepBack(at: EpochMs): void {
    if (at <= this.#late.at) this.#late = { at: at - 1 };
  }

  /** Leaves it to the next round to find what there is. */
  awaitRound(): void {
    this.#mayHaveLate = false;
    this.#fresh = undefined;
    this.awaitsRound = true;
  }

  /** Takes note of what a read brought of this page. */
  saw(found: readonly FoundWork[], { room, ...from }: ReadPage, { isRound, isCut, lateUpTo }: Read): void {
    if (room <= 0) {
      this.awaitsRound = true;
      return;
    }
    const of = (part: FoundWork['part']) => found.filter((one) => one.part === part);
    const [fresh, late, others] = [of('fresh'), of('late'), of('others').length];
    // Where a round found nothing of a part, the next one reads it.
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
