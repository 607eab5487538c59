// What reads many rows of a service to answer one request: one at a time a service, and so few of all that the requests of
// others find connections. Who waits too long is answered 429/410.
import type { Sql } from '../../platform/database/database.js';
import { Turns } from '../../platform/turns.js';
import { PushError } from './push-error.js';

const WAIT_MS = 10_000;
const OF_A_SERVICE = { most: 1, waiting: 20, waitMs: WAIT_MS };

const busy = (): PushError =>
  new PushError('throttleLimited', 'too many lists and counts at once: ask for one after the other', {
    retryAfterSeconds: 5,
  });

export class CountTurns {
  readonly #all: Turns;
  /** Of those that are counting. */
  readonly #byService = new Map<string, Turns>();

  /** `connections`: that all requests share. */
  constructor(
    private readonly sql: Sql,
    connections: number,
  ) {
    const most = Math.max(1, Math.floor(connections / 3));
    this.#all = new Turns({ most, waiting: 100, waitMs: WAIT_MS }, busy);
  }

  async take<Result>(serviceId: string, work: (sql: Sql) => Promise<Result>): Promise<Result> {
    let own = this.#byService.get(serviceId);
    if (own === undefined) this.#byService.set(serviceId, (own = new Turns(OF_A_SERVICE, busy)));
    try {
      return await own.take(() => this.#all.take(() => work(this.sql)));
    } finally {
      if (own.isIdle) this.#byService.delete(serviceId);
    }
  }
}
