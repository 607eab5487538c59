// The sandbox's clock (push-decisions.md, "Management"): the real one, one that stands still at an instant, or one set
// ahead. elapsed() stays real, as everywhere.
import type { Clock, EpochMs } from '../../platform/clock.js';

export type ClockMode =
  | { readonly kind: 'real' }
  | { readonly kind: 'frozen'; readonly at: EpochMs }
  | { readonly kind: 'ahead'; readonly ms: number };

interface Waiter {
  readonly at: EpochMs;
  readonly fire: () => void;
  cancel: () => void;
}

export class SandboxClock implements Clock {
  #mode: ClockMode = { kind: 'real' };
  readonly #waiting = new Set<Waiter>();

  constructor(private readonly base: Clock) {}

  get mode(): ClockMode {
    return this.#mode;
  }

  now(): EpochMs {
    if (this.#mode.kind === 'frozen') return this.#mode.at;
    return this.base.now() + (this.#mode.kind === 'ahead' ? this.#mode.ms : 0);
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

  /** What waits is armed anew; what the change has made due fires. */
  set(mode: ClockMode): void {
    this.#mode = mode;
    for (const waiter of this.#waiting) {
      waiter.cancel();
      this.#arm(waiter);
    }
  }

  #arm(waiter: Waiter): void {
    const fire = (): void => {
      if (this.#waiting.delete(waiter)) waiter.fire();
    };
    if (this.#mode.kind !== 'frozen') {
      waiter.cancel = this.base.at(waiter.at - (this.#mode.kind === 'ahead' ? this.#mode.ms : 0), fire);
      return;
    }
    waiter.cancel = () => {};
    if (waiter.at <= this.#mode.at) queueMicrotask(fire);
  }
}
