// Since when nothing is accepted under a credential while devices wait: its provider cannot be reached, is silent, is in trouble,
// or asked for a pause. This file keeps what answers say; delivery/long-waits.ts shows it.
import type { Clock, EpochMs } from '../../../platform/clock.js';

export interface Wait {
  readonly reason: string;
  /** By the wall clock. */
  readonly since: EpochMs;
  /** How long it has lasted, and how long until the next try; real milliseconds. */
  readonly lastedMs: number;
  readonly leftMs: number;
}

/**
 * If no try comes for so long after it was due, no device waits here any more: the message is over, or another process has it.
 * Real milliseconds.
 */
const FORGOTTEN_MS = 60_000;

export class Waiting {
  #begun: { readonly since: EpochMs; readonly at: number } | undefined;
  #reason = '';
  #until = 0;

  constructor(private readonly clock: Pick<Clock, 'now' | 'elapsed'>) {}

  /** A device was not taken, and the next try is in `ms`. The first call sets since when. */
  waits(reason: string, ms: number): void {
    const at = this.clock.elapsed();
    if (this.now === undefined) this.#begun = { since: this.clock.now(), at };
    this.#reason = reason;
    this.#until = Math.max(this.#until, at + ms);
  }

  /** Call it when a push was accepted. */
  over(): void {
    this.#begun = undefined;
    this.#until = 0;
  }

  get now(): Wait | undefined {
    const elapsed = this.clock.elapsed();
    if (this.#begun === undefined || elapsed > this.#until + FORGOTTEN_MS) return undefined;
    const { since, at } = this.#begun;
    return {
      reason: this.#reason,
      since,
      lastedMs: elapsed - at,
      leftMs: Math.max(0, this.#until - elapsed),
    };
  }
}
