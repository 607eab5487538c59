// How many requests of one credential may be open at once: additive increase, multiplicative decrease, begun carefully.
// Pure: whoever asks says how many real milliseconds have gone.
import type { PaceSign } from './verdict.js';

/** Until the first push was taken: APNs allows one request until then, and a wrong credential should meet few devices. */
const UNPROVEN = 1;
const FIRST = 50;
const FLOOR = 4;
/** Least time between two cuts, and between two doublings. */
const STEP_MS = 1_000;
/** The answers that trouble is counted in, and how many of them are too many. */
const LAST = 100;
const MOST_BUSY = 10;
const MOST_DEVICE_LIMITED = 5;

export class Window {
  #size = UNPROVEN;
  #isProven = false;
  #wasCut = false;
  #cutAt = -Infinity;
  #doubledAt = 0;
  /** Answers since the last step of one. */
  #answers = 0;
  #last: PaceSign[] = [];

  get size(): number {
    return this.#size;
  }

  /** Back to one request, until one is taken. */
  restart(): void {
    this.#size = UNPROVEN;
    this.#isProven = false;
  }

  /** `most`: all streams there may be. */
  answered(sign: PaceSign, now: number, most: number): void {
    this.#last.push(sign);
    if (this.#last.length > LAST) this.#last.shift();
    if (sign === 'taken') this.#taken(now, most);
    const tooMany =
      sign === 'limited' ||
      (isTrouble(sign) && this.#last.filter(isTrouble).length > MOST_BUSY) ||
      (sign === 'deviceLimited' && this.#count('deviceLimited') > MOST_DEVICE_LIMITED);
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

  #count(sign: PaceSign): number {
    return this.#last.reduce((sum, one) => sum + (one === sign ? 1 : 0), 0);
  }
}

function isTrouble(sign: PaceSign): boolean {
  return sign === 'busy' || sign === 'silent';
}
