// Turns for requests that read many rows of a service: one at a time for each service, and few in all, so that other requests get
// connections. A caller who waits too long gets 429/410.
import type { Sql } from '../../platform/database/database.js';
import { Turns } from '../../platform/limited-turns.js';
import { PushError } from './push-error.js';

const LIMITS = { mostOfOne: 1, waiting: 100, waitingOfOne: 20, waitMs: 10_000 };

const busy = (): PushError =>
  new PushError('throttleLimited', 'too many lists and counts at once: ask for one after another', {
    retryAfterSeconds: 5,
  });

export class CountTurns {
  readonly #turns: Turns;

  /** `connections`: how many all requests share. */
  constructor(
    private readonly sql: Sql,
    connections: number,
  ) {
    const most = Math.max(1, Math.floor(connections / 3));
    this.#turns = new Turns({ ...LIMITS, most }, busy);
  }

  take<Result>(serviceId: string, work: (sql: Sql) => Promise<Result>): Promise<Result> {
    return this.#turns.take([serviceId], () => work(this.sql));
  }
}
