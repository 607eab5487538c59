// How many requests of one credential may be open at once, and how many may begin in a second. After a slow start: additive
// increase, multiplicative decrease. Pure: the caller passes the time, Clock.elapsed().
import type { PaceSign } from './judged-answer.js';

/**
 * The size until the first push is accepted: APNs allows one request until then, and a wrong credential must not fail many
 * devices.
 */
const UNPROVEN = 1;
const FIRST = 50;
const FLOOR = 4;
/** The shortest time between two cuts, and between two doublings. */
const STEP_MS = 1_000;
/** The window is cut when more than MOST_BUSY of the LAST answers are trouble. */
const LAST = 100;
const MOST_BUSY = 10;
/**
 * The rate counts each answer as if it took at least so long: fast answers, such as refusals, would otherwise leave the rate
 * unbounded.
 */
const SHORTEST_MS = 50;

export class RequestWindow {
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

  /** How many requests may begin in a second. */
  get perSecond(): number {
    return (this.#size * 1_000) / SHORTEST_MS;
  }

  /** Goes back to one request, until a push is accepted. */
  restart(): void {
    this.#size = UNPROVEN;
    this.#isProven = false;
  }

  /** `most`: how many streams the connections allow. */
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
