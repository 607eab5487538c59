// Scripts what a peer does with the requests of a device, and counts how often it took one.
import type { PeerAct } from './http2-peer.js';

export class Tally {
  readonly #taken = new Map<string, number>();
  readonly #scripts = new Map<string, PeerAct[]>();
  #otherwise: PeerAct | undefined;

  /** The next requests for a device token are answered so, one after the other; then they are taken. */
  script(token: string, ...acts: readonly PeerAct[]): void {
    this.#scripts.set(token, [...acts]);
  }

  /** Every request without a script; undefined: taken. */
  always(act: PeerAct | undefined): void {
    this.#otherwise = act;
  }

  /** What to do with this request; undefined: take it. */
  next(token: string): PeerAct | undefined {
    return this.#scripts.get(token)?.shift() ?? this.#otherwise;
  }

  /** How many acts of its script a device has not had yet. */
  left(token: string): number {
    return this.#scripts.get(token)?.length ?? 0;
  }

  take(token: string): void {
    this.#taken.set(token, (this.#taken.get(token) ?? 0) + 1);
  }

  taken(token: string): number {
    return this.#taken.get(token) ?? 0;
  }

  /** By device token, how often it was taken. */
  get all(): ReadonlyMap<string, number> {
    return this.#taken;
  }
}
