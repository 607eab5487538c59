// The clock of the sandbox (push-decisions.md, "Management"): the real clock, one that stands still at an instant, or one that is
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
   * Runs a round that acts on what is due or old. Nobody can set the clock meanwhile. Otherwise the round would act by the time
   * that it read before: it would fire what was reserved since, or drop a day to which the clock was set back.
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
   * Waits for the rounds that run, then for `prepare`, which gets the time that the clock will show. No round begins before the
   * clock is set. One change at a time. Sets each waiting timer anew; timers that the change has made due fire.
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

  /** What the clock would show now under that setting. */
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

/** Runs a round that acts on what is due or old. Nobody can set the sandbox's clock meanwhile. */
export function byOneTime<Result>(
  { sandbox }: { readonly sandbox: { readonly clock: SandboxClock } | undefined },
  round: () => Promise<Result>,
): Promise<Result> {
  return sandbox === undefined ? round() : sandbox.clock.undisturbed(round);
}
