// The rounds of the workers that deliver. A round claims chunks and prepares them. Then the delivery goes on without its worker
// while the provider answers, so a provider that never answers holds no worker.
import type { ChunkDelivery } from './deliver-chunks.js';

export class DeliveryRounds {
  readonly #open = new Set<Promise<void>>();
  /** What broke in claims after their round. The next round throws it, for the loop's log and health. */
  readonly #broken: unknown[] = [];

  /** `freed` is called when a claim has ended, so that there is a place for another. */
  constructor(
    private readonly delivery: ChunkDelivery,
    private readonly freed: () => void,
  ) {}

  /** Returns how many chunks it claimed; 0: no queue has a turn. */
  async runOnce(signal: AbortSignal): Promise<number> {
    if (this.#broken.length > 0) throw this.#broken.shift();
    const begun = await this.delivery.begin('by-turns', signal);
    if (begun === undefined) return 0;
    const followed = begun.ended
      .catch((bug: unknown) => void this.#broken.push(bug))
      .finally(() => {
        this.#open.delete(followed);
        this.freed();
      });
    this.#open.add(followed);
    return begun.chunks;
  }

  /** Resolves once every claim has ended; call it when no round runs any more. */
  async ended(): Promise<void> {
    await Promise.all(this.#open);
  }
}
