// Fires of which the database did not say whether it made them. Each is asked about until it is known: who won it is called,
// who is planned still is fired again. A statement that was not heard may be carried out much later, when its send was
// given up here: what it fired then never left, and goes back. Calls nobody itself.
import { BatchWriter } from '../../platform/database/batch-writer.js';
import { faultFields } from '../../platform/log.js';
import type { RecordedAnswer } from '../store/send/answer.store.js';
import { findFired, type FiredSend, type FireFound } from '../store/send/fire.store.js';
import { neverCalledRow, type NeverCalled } from './answer-row.js';
import type { Ready } from './check-before-send.js';
import type { DispatchParts } from './dispatch-parts.js';

/** What became of a fire. */
export type FireFate =
  /** It was made, and stood at `askedAt`, elapsed(): the call is its entry's to make. */
  | { readonly kind: 'won'; readonly fired: FiredSend; readonly askedAt: number }
  /** It was made, and counts as lost already, or was asked back meanwhile: it is not to be called. */
  | { readonly kind: 'lost' }
  /** It was not made yet. */
  | { readonly kind: 'again' }
  /** Somebody else has the send, or nobody. */
  | { readonly kind: 'gone' };

export const NOT_CONFIRMED: NeverCalled = {
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
  /** Attempts that were never called from here and may still come about, by send. */
  readonly #possible = new Map<string, { readonly attempt: number; readonly until: number }>();
  #lookAt = 0;

  constructor(
    private readonly parts: Pick<DispatchParts, 'sql' | 'clock' | 'log' | 'replica'>,
    private readonly answers: BatchWriter<RecordedAnswer>,
    /** Told of each once. */
    private readonly told: (one: Ready, fate: FireFate) => void,
  ) {
    const { log } = parts;
    this.#asked = new BatchWriter({
      name: 'fires unheard of',
      write: (unheard: readonly Ready[]) => this.#ask(unheard),
      refused: async (one, error) => {
        const { id, serviceId } = one.entry;
        const fault = { fault: faultFields(error), send: id, serviceId, trace: one.facts.trace ?? undefined };
        log.error(fault, 'the database refuses to say whether it let a send go');
        told(one, { kind: 'gone' });
      },
      batch: MOST_ASKED,
      log,
    });
  }

  /** Nothing of it has left. */
  add(one: Ready): void {
    const { id, attempts } = one.entry;
    const until = this.parts.clock.elapsed() + STATEMENT_LIFE_MS;
    this.#possible.set(id, { attempt: attempts + 1, until });
    this.#asked.add(one, () => undefined);
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
    const { sql, clock, replica, log } = this.parts;
    const elapsed = clock.elapsed();
    for (const [id, { until }] of this.#possible) if (until <= elapsed) this.#possible.delete(id);
    const open = [...this.#possible].filter(([id]) => !isHeld(id));
    if (open.length === 0 || (elapsed < this.#lookAt && !now)) return;
    this.#lookAt = elapsed + LOOK_EVERY_MS;
    const ids = open.map(([id]) => id);
    const found = await findFired(sql, ids, replica);
    const fired = open.filter(([id, { attempt }]) => isOnTheWire(found.get(id), attempt));
    if (fired.length > 0) {
      // Ours for good, once it is: by the attempt's number alone no other replica's is met.
      const written = fired.map(([id, { attempt }]) => {
        const row = neverCalledRow(id, attempt, clock.now(), NOT_CONFIRMED);
        return new Promise<void>((done) => this.answers.add(row, done));
      });
      await Promise.all(written);
      log.warn({ sends: fired.length }, 'sends that were fired unheard never left, and are planned again');
    }
    // From a later attempt no way leads back to that one.
    for (const [id, { attempt }] of open)
      if ((found.get(id)?.attempt ?? attempt) >= attempt) this.#possible.delete(id);
  }

  async #ask(unheard: readonly Ready[]): Promise<void> {
    const { sql, clock, replica } = this.parts;
    const askedAt = clock.elapsed();
    const ids = unheard.map(({ entry }) => entry.id);
    const found = await findFired(sql, ids, replica);
    for (const one of unheard) {
      const fate = fateOf(one, found.get(one.entry.id), askedAt);
      if (fate.kind === 'won') this.heard(one.entry.id);
      this.told(one, fate);
    }
  }
}

function fateOf({ entry: { attempts } }: Ready, row: FireFound | undefined, askedAt: number): FireFate {
  if (row !== undefined && isOnTheWire(row, attempts + 1)) {
    const isToBeCalled = row.state === 'sending' && row.isWanted;
    return isToBeCalled ? { kind: 'won', fired: row, askedAt } : { kind: 'lost' };
  }
  return { kind: row?.state === 'planned' && row.attempt === attempts ? 'again' : 'gone' };
}

/** Fired from here by that attempt, and as far as anybody knows on the wire. */
function isOnTheWire(row: FireFound | undefined, attempt: number): boolean {
  return row?.isOurs === true && row.attempt === attempt && /^(sending|uncertain)$/.test(row.state);
}
