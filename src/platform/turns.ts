// So much of one kind of work at once, whatever asks for it: the others wait for a turn in the order they came, so many
// and for so long, and are told where none comes. Where other work is to have its share, a turn rests before it is given on.
import type { Clock } from './clock.js';

/** After work that took t: so many times t, and no longer than this, real milliseconds. */
export interface Rest {
  readonly times: number;
  readonly mostMs: number;
  readonly clock: Pick<Clock, 'elapsed'>;
}

export interface TurnLimits {
  /** At work at once. */
  readonly most: number;
  /** That wait. */
  readonly waiting: number;
  /** Each at most so long, real milliseconds. */
  readonly waitMs: number;
  /** None, if nothing is said. */
  readonly rest?: Rest | undefined;
}

/** Real milliseconds. */
export const restMs = (tookMs: number, { times, mostMs }: Omit<Rest, 'clock'>): number =>
  Math.min(tookMs * times, mostMs);

export class Turns {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** `busy`: what they are told for whom there is no turn. */
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

  /** The place of one that ended. */
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
