// The sandbox's clock (push-decisions.md, "Management"): the real one, one that stands still at an instant, or one that is
// ahead. elapsed() stays real, as everywhere.
import type { Clock, EpochMs } from '../../platform/clock.js';

export type ClockSetting =
  | { readonly mode: 'real' }
  | { readonly mode: 'frozen'; readonly at: EpochMs }
  | { readonly mode: 'ahead'; readonly ms: number };

interface Waiter {
  readonly at: EpochMs;
  readonly fire: () => void;
  cancel: () => void;
}

export class SandboxClock implements Clock {
  #setting: ClockSetting = { mode: 'real' };
  readonly #waiting = new Set<Waiter>();
  readonly #rounds = new Set<Promise<unknown>>();
  /** Resolves when the clock has been set; undefined while nobody sets it. */
  #beingSet: Promise<void> | undefined;

  constructor(private readonly base: Clock) {}

  get mode(): ClockSetting['mode'] {
    return this.#setting.mode;
  }

  now(): EpochMs {
    return this.#nowUnder(this.#setting);
  }

  elapsed(): number {
    return this.base.elapsed();
  }

  at(at: EpochMs, fire: () => void): () => void {
    const waiter: Waiter = { at, fire, cancel: () => {} };
    this.#waiting.add(waiter);
    this.#arm(waiter);
    return () => {
      waiter.cancel();
      this.#waiting.delete(waiter);
    };
  }

  /**
   * A round that acts on what is due or of age: the clock is not set meanwhile. By the time that it read before, it would fire what
   * is reserved since, or take off a day that the clock is set back to.
   */
  async undisturbed<Result>(round: () => Promise<Result>): Promise<Result> {
    while (this.#beingSet !== undefined) await this.#beingSet;
    const running = round();
    this.#rounds.add(running);
    try {
      return await running;
    } finally {
      this.#rounds.delete(running);
    }
  }

  /**
   * Waits for rounds that are under way, then for `prepare`, with what it will show; none begins before it is set. One change at a
   * time. Arms each waiting timer anew; those that the change has made due fire.
   */
  async set(to: ClockSetting, prepare: (now: EpochMs) => Promise<void>): Promise<void> {
    while (this.#beingSet !== undefined) await this.#beingSet;
    let done = (): void => {};
    this.#beingSet = new Promise((resolve) => (done = resolve));
    try {
      await Promise.allSettled(this.#rounds);
      await prepare(this.#nowUnder(to));
      this.#setting = to;
      for (const waiter of this.#waiting) {
        waiter.cancel();
        this.#arm(waiter);
      }
    } finally {
      this.#beingSet = undefined;
      done();
    }
  }

  /** What it would show now. */
  #nowUnder(setting: ClockSetting): EpochMs {
    if (setting.mode === 'frozen') return setting.at;
    return this.base.now() + (setting.mode === 'ahead' ? setting.ms : 0);
  }

  #arm(waiter: Waiter): void {
    const fire = (): void => {
      if (this.#waiting.delete(waiter)) waiter.fire();
    };
    if (this.#setting.mode !== 'frozen') {
      waiter.cancel = this.base.at(waiter.at - (this.#setting.mode === 'ahead' ? this.#setting.ms : 0), fire);
      return;
    }
    waiter.cancel = () => {};
    if (waiter.at <= this.#setting.at) queueMicrotask(fire);
  }
}
