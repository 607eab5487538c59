// Limits how much work of one kind runs at once. Others wait for a turn in the order they came, a limited number for a limited
// time, and are rejected when none comes. Where other work should get its share, a turn rests before it is passed on.
import type { Clock } from './clock.js';

/** The rest after work that took t: `times` × t, but at most `mostMs` real milliseconds. */
export interface Rest {
  readonly times: number;
  readonly mostMs: number;
  readonly clock: Pick<Clock, 'elapsed'>;
}

export interface TurnLimits {
  /** That run at once. */
  readonly most: number;
  /** That wait. */
  readonly waiting: number;
  /** How long each waits at most, real milliseconds. */
  readonly waitMs: number;
  /** [none] */
  readonly rest?: Rest | undefined;
}

/** Real milliseconds. */
export const restMs = (tookMs: number, { times, mostMs }: Omit<Rest, 'clock'>): number =>
  Math.min(tookMs * times, mostMs);

export class Turns {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** `busy` makes the error for those who get no turn. */
  constructor(
    private readonly limits: TurnLimits,
    private readonly busy: () => Error,
  ) {}

  get waiting(): number {
    return this.#waiting.length;
  }

  get isIdle(): boolean {
    return this.#running === 0;
  }

  async take<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.limits.most) this.#running += 1;
    else await this.#turn();
    const began = this.limits.rest?.clock.elapsed() ?? 0;
    try {
      return await work();
    } finally {
      const { rest } = this.limits;
      if (rest === undefined) this.#giveOn();
      else setTimeout(() => this.#giveOn(), restMs(rest.clock.elapsed() - began, rest)).unref();
    }
  }

  #giveOn(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }

  /** Waits for the turn of one that ended. */
  #turn(): Promise<void> {
    const { waiting, waitMs } = this.limits;
    if (this.#waiting.length >= waiting) return Promise.reject(this.busy());
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1);
        reject(this.busy());
      }, waitMs);
      this.#waiting.push(begin);
    });
  }
}
