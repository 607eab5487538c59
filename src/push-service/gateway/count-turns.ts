// Turns of requests that read many rows of a service: one at a time for each service, and few in all, so that other requests
// find connections. A caller that waits too long is answered 429/410.
import type { Sql } from '../../platform/database/database.js';
import { Turns } from '../../platform/limited-turns.js';
import { PushError } from './push-error.js';

const WAIT_MS = 10_000;
const OF_A_SERVICE = { most: 1, waiting: 20, waitMs: WAIT_MS };

const busy = (): PushError =>
  new PushError('throttleLimited', 'too many lists and counts at once: ask for one after the other', {
    retryAfterSeconds: 5,
  });

export class CountTurns {
  readonly #all: Turns;
  /** The turns of each service that is counting. */
  readonly #byService = new Map<string, Turns>();

  /** `connections`: those that all requests share. */
  constructor(
    private readonly sql: Sql,
    connections: number,
  ) {
    const most = Math.max(1, Math.floor(connections / 3));
    this.#all = new Turns({ most, waiting: 100, waitMs: WAIT_MS }, busy);
  }

  async take<Result>(serviceId: string, work: (sql: Sql) => Promise<Result>): Promise<Result> {
    const turns = this.#byService.get(serviceId) ?? new Turns(OF_A_SERVICE, busy);
    this.#byService.set(serviceId, turns);
    try {
      return await turns.take(() => this.#all.take(() => work(this.sql)));
    } finally {
      if (turns.isIdle) this.#byService.delete(serviceId);
    }
  }
}
