// What holds one project's calls back in this process's memory: its block, as it was heard here, and its circuit. What
// other processes heard stands in the project's row.
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import { Circuit, type CircuitLimits } from './circuit.js';

/** Nobody calls the project. */
export interface Block {
  /** Why: stable. */
  readonly code: string;
  /** Infinity: until somebody acts. */
  readonly until: EpochMs;
  /** The gateway's own words, where it was the gateway that said so. */
  readonly detail: string | null;
}

/**
 * A block is held in memory no longer, milliseconds: by then its row in the database holds it in every process, and an
 * operator who starts the project early is seen.
 */
const LONGEST_HELD_MS = 5_000;
/** Many answers under way say the same. */
const SAME_MS = 250;

export class ProjectGate {
  readonly circuit: Circuit;
  #block: Block | undefined;
  #heldUntil = -Infinity;
  /** As #heldUntil, for what is this process's own. */
  #unusableUntil = -Infinity;

  constructor(limits?: CircuitLimits) {
    this.circuit = new Circuit(limits);
  }

  /** Returns whether this is news. A longer block is never shortened. */
  hold(block: Block, now: EpochMs): boolean {
    const before = this.blockAt(now);
    if (before !== undefined && block.until <= before.until + SAME_MS) return false;
    this.#block = block;
    this.#heldUntil = Math.min(block.until, now + LONGEST_HELD_MS);
    return true;
  }

  /** Nothing of it is looked ahead to or leaves here before `until`: for a fault that other processes need not have. */
  holdHere(until: EpochMs): void {
    this.#unusableUntil = until;
  }

  /** What it was blocked for is over: it has another key or address. */
  goOn(): void {
    this.#heldUntil = -Infinity;
    this.#unusableUntil = -Infinity;
  }

  /** As far as it is held here. */
  blockAt(now: EpochMs): Block | undefined {
    // None is held longer: this one is of a time before the clock went back.
    if (this.#heldUntil > now + LONGEST_HELD_MS) this.#heldUntil = -Infinity;
    return now < this.#heldUntil ? this.#block : undefined;
  }

  /** Until when nothing of it leaves here; in the past where nothing holds it. */
  heldUntil(now: EpochMs): EpochMs {
    return Math.max(this.blockAt(now) === undefined ? -Infinity : this.#heldUntil, this.#unusableUntil);
  }
}
