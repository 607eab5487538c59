// How many requests of one credential may be open at once, and begin in a second: additive increase, multiplicative decrease,
// after a careful start.
// Pure: the caller passes the time, Clock.elapsed().
import type { PaceSign } from './judged-answer.js';

/** Until the first push is accepted: APNs allows one request until then, and a wrong credential should reach few devices. */
const UNPROVEN = 1;
const FIRST = 50;
const FLOOR = 4;
/** Least time between two cuts, and between two doublings. */
const STEP_MS = 1_000;
/** How many answers trouble is counted among, and what is too many of them. */
const LAST = 100;
const MOST_BUSY = 10;
/** Requests are begun as if each answer took so long at least: where answers are fast, as refusals are, a window bounds no rate. */
const SHORTEST_MS = 50;

export class Window {
  #size = UNPROVEN;
  #isProven = false;
  #wasCut = false;
  #cutAt = -Infinity;
  #doubledAt = 0;
  /** Answers since the window last grew by one. */
  #answers = 0;
  #last: PaceSign[] = [];

  get size(): number {
    return this.#size;
  }

  /** Requests that may begin in a second. */
  get perSecond(): number {
    return (this.#size * 1_000) / SHORTEST_MS;
  }

  /** Back to one request, until one is accepted. */
  restart(): void {
    this.#size = UNPROVEN;
    this.#isProven = false;
  }

  /** `most`: the most streams there may be. */
  answered(sign: PaceSign, now: number, most: number): void {
    if (sign === 'unasked') return;
    this.#last.push(sign);
    if (this.#last.length > LAST) this.#last.shift();
    if (sign === 'taken') this.#taken(now, most);
    const tooMany =
      sign === 'limited' || (isTrouble(sign) && this.#last.filter(isTrouble).length > MOST_BUSY);
    if (tooMany) this.#cut(now);
  }

  #taken(now: number, most: number): void {
    if (!this.#isProven) {
      this.#isProven = true;
      this.#size = Math.min(FIRST, most);
      this.#doubledAt = now;
    } else if (!this.#wasCut) {
      if (now - this.#doubledAt < STEP_MS) return;
      this.#doubledAt = now;
      this.#size = Math.min(this.#size * 2, most);
    } else {
      this.#answers += 1;
      if (this.#answers < this.#size) return;
      this.#answers = 0;
      this.#size = Math.min(this.#size + 1, Math.max(most, FLOOR));
    }
  }

  #cut(now: number): void {
    if (!this.#isProven || now - this.#cutAt < STEP_MS) return;
    this.#cutAt = now;
    this.#wasCut = true;
    this.#answers = 0;
    this.#size = Math.min(this.#size, Math.max(FLOOR, Math.floor(this.#size / 2)));
  }
}

function isTrouble(sign: PaceSign): boolean {
  return sign === 'busy' || sign === 'silent';
}
