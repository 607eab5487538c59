// Limits how much work of one kind runs at once. Other work waits for a turn, fairly by who asks (fair-order.ts). A limited
// number waits, for a limited time, and is rejected when no turn comes. Where other kinds of work should get their share, a turn
// rests before the next work gets it.
import type { Clock } from './clock.js';
import { fairOrder, pathsOf, type Owner, type Share, type Waits } from './fair-order.js';

/** The rest after work that took t: `times` × t, but at most `mostMs`, real milliseconds. */
export interface Rest {
  readonly times: number;
  readonly mostMs: number;
  readonly clock: Pick<Clock, 'elapsed'>;
}

export interface TurnLimits {
  /** How many turns run at once. */
  readonly most: number;
  /**
   * How many turns of one owner run at once [most]. With fewer, a turn stays free for others. A turn that rests counts for
   * nobody.
   */
  readonly mostOfOne?: number;
  /** How many may wait. If there are more, the one that would come last is rejected. */
  readonly waiting: number;
  /** How many may wait for the last name of an owner, such as a token [waiting]. */
  readonly waitingOfOne?: number;
  /** The longest wait, real milliseconds. */
  readonly waitMs: number;
  /** [none] */
  readonly rest?: Rest | undefined;
}

/** Why there is no turn. own: the owner has as many waiting as one may have. all: others have all turns. */
export type Lack = 'own' | 'all';

/** Real milliseconds. */
export const restMs = (tookMs: number, { times, mostMs }: Omit<Rest, 'clock'>): number =>
  Math.min(tookMs * times, mostMs);

interface Waiting extends Waits {
  /** Never rejected, because it belongs to work that has begun. */
  readonly isPatient: boolean;
  begin(): void;
  refuse(): void;
}

export class Turns {
  #running = 0;
  #count = 0;
  /** The shares of owners who have something running or waiting, by path. */
  readonly #shares = new Map<string, Share>();
  /** In the order in which they came. */
  #waiting: readonly Waiting[] = [];

  /** `busy` makes the error for who gets no turn. */
  constructor(
    private readonly limits: TurnLimits,
    private readonly busy: (lack: Lack) => Error,
  ) {}

  get waiting(): number {
    return this.#waiting.length;
  }

  get isIdle(): boolean {
    return this.#running === 0;
  }

  /** `isPatient`: waits without a limit, for more of work that has begun. The caller must bound such calls. */
  async take<Result>(owner: Owner, work: () => Promise<Result>, isPatient = false): Promise<Result> {
    const paths = pathsOf(owner);
    for (const path of paths)
      if (!this.#shares.has(path)) this.#shares.set(path, { running: 0, served: undefined });
    if (this.#mayBegin(paths)) this.#begin(paths);
    else await this.#turn(paths, isPatient);
    const began = this.limits.rest?.clock.elapsed() ?? 0;
    try {
      return await work();
    } finally {
      this.#end(paths);
      const { rest } = this.limits;
      if (rest === undefined) this.#giveOn();
      else setTimeout(() => this.#giveOn(), restMs(rest.clock.elapsed() - began, rest)).unref();
    }
  }

  #mayBegin(paths: readonly string[]): boolean {
    const { most, mostOfOne = most } = this.limits;
    const ofOne = paths.map((path) => this.#shares.get(path)?.running ?? 0);
    return this.#running < most && ofOne.every((running) => running < mostOfOne);
  }

  #begin(paths: readonly string[]): void {
    this.#running += 1;
    for (const share of this.#sharesOf(paths)) share.running += 1;
  }

  /** While the turn rests, it belongs to nobody: its owner may get another one. */
  #end(paths: readonly string[]): void {
    this.#count += 1;
    for (const share of this.#sharesOf(paths)) {
      share.running -= 1;
      share.served = this.#count;
    }
    this.#forget(paths);
    this.#beginNext();
  }

  #giveOn(): void {
    this.#running -= 1;
    this.#beginNext();
  }

  #beginNext(): void {
    if (this.#running >= this.limits.most) return;
    for (const next of fairOrder(this.#waiting, (path) => this.#shares.get(path))) {
      if (!this.#mayBegin(next.paths)) continue;
      this.#begin(next.paths);
      next.begin();
      return;
    }
  }

  #sharesOf(paths: readonly string[]): Share[] {
    return paths.flatMap((path) => this.#shares.get(path) ?? []);
  }

  #forget(paths: readonly string[]): void {
    for (const path of paths) {
      const isIdle = this.#shares.get(path)?.running === 0;
      if (isIdle && !this.#waiting.some((one) => one.paths.includes(path))) this.#shares.delete(path);
    }
  }

  /** Waits until a turn ends and is free. */
  #turn(paths: readonly string[], isPatient: boolean): Promise<void> {
    const { waitingOfOne = Infinity, waitMs } = this.limits;
    const own = paths.at(-1);
    const ofOwn = this.#waiting.filter((one) => one.paths.at(-1) === own).length;
    if (!isPatient && ofOwn >= waitingOfOne) return Promise.reject(this.busy('own'));
    return new Promise((resolve, reject) => {
      const leave = (end: () => void): void => {
        clearTimeout(timer);
        this.#waiting = this.#waiting.filter((one) => one !== waiting);
        end();
      };
      const refuse = (): void => {
        leave(() => reject(this.busy('all')));
        this.#forget(paths);
      };
      const timer = isPatient ? undefined : setTimeout(refuse, waitMs);
      this.#count += 1;
      const waiting = { paths, at: this.#count, isPatient, begin: () => leave(resolve), refuse };
      this.#waiting = [...this.#waiting, waiting];
      this.#refuseLast();
    });
  }

  #refuseLast(): void {
    const impatient = this.#waiting.filter(({ isPatient }) => !isPatient);
    if (impatient.length <= this.limits.waiting) return;
    fairOrder(impatient, (path) => this.#shares.get(path))
      .at(-1)
      ?.refuse();
  }
}
