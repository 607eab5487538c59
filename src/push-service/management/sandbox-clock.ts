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

  constructor(private readonly base: Clock) {}

  get mode(): ClockSetting['mode'] {
    return this.#setting.mode;
  }

  now(): EpochMs {
    return this.nowUnder(this.#setting);
  }

  /** What it would show now. */
  nowUnder(setting: ClockSetting): EpochMs {
    if (setting.mode === 'frozen') return setting.at;
    return this.base.now() + (setting.mode === 'ahead' ? setting.ms : 0);
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

  /** Arms each waiting timer anew; those that the change has made due fire. */
  set(to: ClockSetting): void {
    this.#setting = to;
    for (const waiter of this.#waiting) {
      waiter.cancel();
      this.#arm(waiter);
    }
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
