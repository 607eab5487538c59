// Fires of which the database did not say whether it made them. Each is asked about until it is known: who won it is called,
// who is planned still is fired again. A statement that was not heard may be carried out much later, when its send was
// given up here: what it fired then never left, and goes back. Calls nobody itself.
import { BatchWriter } from '../../platform/database/batch-writer.js';
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import { faultFields, type Log } from '../../platform/log.js';
import { recordAnswers } from '../store/send/answer.store.js';
import { findFired, type FiredSend, type FireFound } from '../store/send/fire.store.js';
import { neverCalledRow, type NeverCalled } from './answer-row.js';
import type { Ready } from './look-again.js';

export interface UnheardParts {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly log: Log;
  readonly by: string;
  readonly replica: string;
}

/** What became of a fire; each is told once. */
export interface UnheardEvents {
  /** It was made, and stood at `askedAt`, elapsed(): the call is its entry's to make. */
  won(one: Ready, fired: FiredSend, askedAt: number): void;
  /** It was made, and counts as lost already, or was asked back meanwhile: it is not to be called. */
  lost(one: Ready, why: NeverCalled): void;
  /** It was not made yet. */
  again(one: Ready): void;
  /** Somebody else has the send, or nobody. */
  gone(one: Ready): void;
}

const NOT_CONFIRMED: NeverCalled = {
  code: 'FIRE_NOT_CONFIRMED',
  detail: 'the database did not say whether it may leave',
};
/** Asked about by one statement. */
const MOST_ASKED = 500;
/** A statement may live so long on its way to the server and in it (pooled-database.ts), real milliseconds. */
const STATEMENT_LIFE_MS = 120_000;
/** Between two looks for what such a statement did after all. */
const LOOK_EVERY_MS = 250;

export class UnheardFires {
  readonly #asked: BatchWriter<Ready>;
  readonly #found = new Map<Ready, { readonly row: FireFound | undefined; readonly askedAt: number }>();
  /** Attempts that were never called from here and may still come about, by send. */
  readonly #possible = new Map<string, { readonly attempt: number; readonly until: number }>();
  #lookAt = 0;

  constructor(
    private readonly parts: UnheardParts,
    private readonly events: UnheardEvents,
  ) {
    const { sql, clock, replica, log } = parts;
    this.#asked = new BatchWriter({
      name: 'fires unheard of',
      write: async (unheard: readonly Ready[]) => {
        const ids = unheard.map(({ entry }) => entry.id);
        const askedAt = clock.elapsed();
        const found = await findFired(sql, ids, replica);
        for (const one of unheard) this.#found.set(one, { row: found.get(one.entry.id), askedAt });
      },
      refused: async ({ entry }, error) =>
        log.error(
          { fault: faultFields(error), send: entry.id, serviceId: entry.serviceId },
          'the database refuses to say whether it let a send go',
        ),
      batch: MOST_ASKED,
      log,
    });
  }

  /** Nothing of it has left. */
  add(one: Ready): void {
    const { id, attempts } = one.entry;
    const until = this.parts.clock.elapsed() + STATEMENT_LIFE_MS;
    this.#possible.set(id, { attempt: attempts + 1, until });
    this.#asked.add(one, () => this.#tell(one));
  }

  /** A fire of it was heard: no other can come about for that attempt, and it is called. */
  heard(id: string): void {
    this.#possible.delete(id);
  }

  /**
   * Puts back what was fired unheard and is held here by nobody. While it runs nothing may come to be held. `now`: without
   * waiting until a look is due.
   */
  async putBack(isHeld: (id: string) => boolean, now = false): Promise<void> {
    const { sql, clock, by, replica, log } = this.parts;
    const elapsed = clock.elapsed();
    for (const [id, { until }] of this.#possible) if (until <= elapsed) this.#possible.delete(id);
    const open = [...this.#possible].filter(([id]) => !isHeld(id));
    if (open.length === 0 || (elapsed < this.#lookAt && !now)) return;
    this.#lookAt = elapsed + LOOK_EVERY_MS;
    const ids = open.map(([id]) => id);
    const found = await findFired(sql, ids, replica);
    const fired = open.filter(([id, { attempt }]) => {
      const row = found.get(id);
      return (
        row !== undefined && isOurs(row, attempt) && (row.state === 'sending' || row.state === 'uncertain')
      );
    });
    if (fired.length > 0) {
      // Ours for good, once it is: by the attempt's number alone no other replica's is met.
      const rows = fired.map(([id, { attempt }]) => neverCalledRow(id, attempt, clock.now(), NOT_CONFIRMED));
      await recordAnswers(sql, rows, by, clock.now());
      log.warn({ sends: fired.length }, 'sends that were fired unheard never left, and are planned again');
    }
    // From a later attempt no way leads back to that one.
    for (const [id, { attempt }] of open)
      if ((found.get(id)?.attempt ?? attempt) >= attempt) this.#possible.delete(id);
  }

  #tell(one: Ready): void {
    const { id, attempts } = one.entry;
    const { row, askedAt = 0 } = this.#found.get(one) ?? {};
    this.#found.delete(one);
    if (row !== undefined && isOurs(row, attempts + 1)) {
      if (row.state === 'sending' && row.isWanted) {
        this.heard(id);
        return this.events.won(one, row, askedAt);
      }
      if (row.state === 'sending' || row.state === 'uncertain') return this.events.lost(one, NOT_CONFIRMED);
    }
    if (row?.state === 'planned' && row.attempt === attempts) return this.events.again(one);
    this.events.gone(one);
  }
}

function isOurs(row: FireFound, attempt: number): boolean {
  return row.isOurs && row.attempt === attempt;
}
