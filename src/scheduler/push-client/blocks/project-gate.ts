// What holds back one project's calls in this process: its circuit, and its block as far as it was heard here. What other
// processes heard stands in the project's row.
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { Circuit, type CircuitLimits } from './circuit.js';

/** Why nobody calls the project, and until when. */
export interface Block {
  /** The reason; stable. */
  readonly code: string;
  /** Infinity: until somebody acts. */
  readonly until: EpochMs;
  /** The gateway's own words, if it was the gateway that said so. */
  readonly detail: string | null;
}

/**
 * How long a block is held in memory at most, milliseconds: after that its row in the database holds it in every process, so
 * that an operator's early start takes effect.
 */
const LONGEST_HELD_MS = 5_000;
/** A block that ends so little later is no news: many answers under way say the same. Milliseconds. */
const SAME_MS = 250;

export class ProjectGate {
  readonly circuit: Circuit;
  #block: Block | undefined;
  #heldUntil = -Infinity;
  /** As #heldUntil, for a fault of this process. */
  #unusableUntil = -Infinity;

  constructor(limits?: CircuitLimits) {
    this.circuit = new Circuit(limits);
  }

  /** Returns whether this is news. Never shortens a longer block. */
  hold(block: Block, now: EpochMs): boolean {
    const before = this.blockAt(now);
    if (before !== undefined && block.until <= before.until + SAME_MS) return false;
    this.#block = block;
    this.#heldUntil = Math.min(block.until, now + LONGEST_HELD_MS);
    return true;
  }

  /** For a fault that other processes need not have: nothing of the project is looked ahead to or leaves here before `until`. */
  holdHere(until: EpochMs): void {
    this.#unusableUntil = until;
  }

  /** The reason for the block is over: the project has another key or address. */
  goOn(): void {
    this.#heldUntil = -Infinity;
    this.#unusableUntil = -Infinity;
  }

  /** The block that is held here. */
  blockAt(now: EpochMs): Block | undefined {
    // No block is held for longer: the clock was set back since this one came.
    if (this.#heldUntil > now + LONGEST_HELD_MS) this.#heldUntil = -Infinity;
    return now < this.#heldUntil ? this.#block : undefined;
  }

  /** Until when nothing of the project leaves here; in the past if nothing holds it back. */
  heldUntil(now: EpochMs): EpochMs {
    return Math.max(this.blockAt(now) === undefined ? -Infinity : this.#heldUntil, this.#unusableUntil);
  }
}
