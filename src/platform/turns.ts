// So much of one kind of work at once, whatever asks for it: the others wait for a turn in the order they came, so many
// and for so long, and are told where none comes.

export interface TurnLimits {
  /** At work at once. */
  readonly most: number;
  /** That wait. */
  readonly waiting: number;
  /** Each at most so long, real milliseconds. */
  readonly waitMs: number;
}

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
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
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
