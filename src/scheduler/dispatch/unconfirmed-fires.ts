// Fires that the database did not confirm. The database is asked about each until it is known whether the send was fired: if so, the
// call is made; if it is still planned, it is fired again. The statement may also take effect much later, when this process has given
// the send up: a send that is fired then was not sent, and is put back. Calls nobody itself.
import { BatchWriter } from '../../platform/database/batch-writer.js';
import { faultFields } from '../../platform/logging/log.js';
import type { RecordedAnswer } from '../store/send/answer.store.js';
import { findFired, type FiredSend, type FireFound } from '../store/send/fire.store.js';
import { neverCalledRow, type NeverCalled } from './answer-row.js';
import type { Ready } from './check-before-send.js';
import type { DispatchDeps } from './dispatch-deps.js';

/** What became of a fire. */
type FireFate =
  /** The send was fired, and was still `sending` at `askedAt`, elapsed(): the call is made. */
  | { readonly kind: 'won'; readonly fired: FiredSend; readonly askedAt: number }
  /** The send was fired, but is uncertain already, or a cancel wants it back: no call is made. */
  | { readonly kind: 'lost' }
  /** The send was not fired: it is fired again. */
  | { readonly kind: 'again' }
  /** The send has gone on without this process, or is deleted. */
  | { readonly kind: 'gone' };

export const NOT_CONFIRMED: NeverCalled = {
  code: 'FIRE_NOT_CONFIRMED',
  detail: 'the database did not say whether the send may leave',
};
/** The most sends that one statement asks about. */
const MOST_ASKED = 500;
/** A statement ends after this at the latest, on its way to the server or in it (pooled-database.ts), real milliseconds. */
const STATEMENT_LIFE_MS = 120_000;
/** Between two checks whether such a statement took effect after all, real milliseconds. */
const CHECK_EVERY_MS = 250;
/** The same after STATEMENT_LIFE_MS, when only its COMMIT may still hang: the disk stalls, or a synchronous standby is away. */
const CHECK_HUNG_EVERY_MS = 5_000;

interface Possible {
  readonly attempt: number;
  /** elapsed(); after this only a COMMIT that hangs can still make it. */
  readonly until: number;
}

export class UnconfirmedFires {
  readonly #asked: BatchWriter<Ready>;
  /** By send, an attempt that may still be fired and for which no call was made. */
  readonly #possible = new Map<string, Possible>();
  #checkAt = 0;
  #checkHungAt = 0;

  constructor(
    private readonly deps: Pick<DispatchDeps, 'sql' | 'clock' | 'log' | 'replica'>,
    private readonly answers: BatchWriter<RecordedAnswer>,
    /** Called once for each send. */
    private readonly decided: (ready: Ready, fate: FireFate) => void,
  ) {
    const { log } = deps;
    this.#asked = new BatchWriter({
      name: 'fires not confirmed',
      write: (unconfirmed: readonly Ready[]) => this.#ask(unconfirmed),
      refused: async (ready, error) => {
        const { id, serviceId } = ready.entry;
        const trace = ready.facts.trace ?? undefined;
        const fault = { fault: faultFields(error), send: id, serviceId, trace };
        log.error(fault, 'the database refuses to say whether it fired a send');
        decided(ready, { kind: 'gone' });
      },
      batch: MOST_ASKED,
      log,
    });
  }

  /** Asks the database about this send. Nothing of it has left. */
  add(ready: Ready): void {
    const { id, attempts } = ready.entry;
    const until = this.deps.clock.elapsed() + STATEMENT_LIFE_MS;
    this.#possible.set(id, { attempt: attempts + 1, until });
    this.#asked.add(ready, () => undefined);
  }

  /** A fire of this send was confirmed and the call is made: no other fire of that attempt can take effect. */
  confirmed(id: string): void {
    this.#possible.delete(id);
  }

  /**
   * Puts back sends that were fired without a confirmation and that this process does not hold. While this runs, the process must
   * not read further sends. `now`: does not wait until a check is due.
   */
  async putBack(isHeld: (id: string) => boolean, now = false): Promise<void> {
    const open = this.#dueChecks(isHeld, now);
    if (open.length === 0) return;
    const { sql, clock, replica } = this.deps;
    const elapsed = clock.elapsed();
    const ids = open.map(([id]) => id);
    const found = await findFired(sql, ids, replica);
    await this.#putBackFired(open.filter(([id, { attempt }]) => mayBeInFlight(found.get(id), attempt)));
    for (const [id, possible] of open)
      if (isOver(possible, found.get(id), elapsed)) this.#possible.delete(id);
  }

  #dueChecks(isHeld: (id: string) => boolean, now: boolean): [id: string, possible: Possible][] {
    const elapsed = this.deps.clock.elapsed();
    const isHungDue = now || elapsed >= this.#checkHungAt;
    const isDue = ({ until }: Possible): boolean => until > elapsed || isHungDue;
    const open = [...this.#possible].filter(([id, possible]) => !isHeld(id) && isDue(possible));
    if (open.length === 0 || (elapsed < this.#checkAt && !now)) return [];
    this.#checkAt = elapsed + CHECK_EVERY_MS;
    if (isHungDue) this.#checkHungAt = elapsed + CHECK_HUNG_EVERY_MS;
    return open;
  }

  async #putBackFired(fired: readonly (readonly [id: string, possible: Possible])[]): Promise<void> {
    if (fired.length === 0) return;
    // An attempt that is ours stays ours: no other replica can make one of this number.
    const written = fired.map(([id, { attempt }]) => {
      const row = neverCalledRow(id, attempt, this.deps.clock.now(), NOT_CONFIRMED);
      // The second `done`: an answer that is set aside for later is not waited for, because a look ahead waits here.
      return new Promise<void>((done) => this.answers.add(row, done, 0, done));
    });
    await Promise.all(written);
    this.deps.log.warn(
      { sends: fired.length },
      'sends were fired without a confirmation from the database: they were not sent and are planned again',
    );
  }

  async #ask(unconfirmed: readonly Ready[]): Promise<void> {
    const { sql, clock, replica } = this.deps;
    const askedAt = clock.elapsed();
    const ids = unconfirmed.map(({ entry }) => entry.id);
    const found = await findFired(sql, ids, replica);
    for (const ready of unconfirmed) {
      const fate = fateOf(ready, found.get(ready.entry.id), askedAt);
      if (fate.kind === 'won') this.confirmed(ready.entry.id);
      this.decided(ready, fate);
    }
  }
}

function fateOf({ entry: { attempts } }: Ready, row: FireFound | undefined, askedAt: number): FireFate {
  if (row !== undefined && mayBeInFlight(row, attempts + 1)) {
    const isToBeCalled = row.state === 'sending' && row.isWanted;
    return isToBeCalled ? { kind: 'won', fired: row, askedAt } : { kind: 'lost' };
  }
  return { kind: row?.state === 'planned' && row.attempt === attempts ? 'again' : 'gone' };
}

/** Whether this process fired that attempt and, as far as the database knows, it may be in flight. */
function mayBeInFlight(row: FireFound | undefined, attempt: number): boolean {
  return row?.isOurs === true && row.attempt === attempt && /^(sending|uncertain)$/.test(row.state);
}

/**
 * Whether that attempt can no longer take effect, or has been put back. A send that has this attempt or a later one never returns to an
 * earlier one. While a COMMIT hangs, the row shows the send as it was before the fire, and is locked.
 */
function isOver({ attempt, until }: Possible, row: FireFound | undefined, elapsed: number): boolean {
  if ((row?.attempt ?? attempt) >= attempt) return true;
  const isAsBefore = row?.state === 'planned' && row.attempt === attempt - 1;
  return until <= elapsed && !isAsBefore;
}
