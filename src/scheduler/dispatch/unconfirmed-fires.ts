// Fires of which the database did not say whether it made them. Each is asked about until that is known: a send that was fired
// is called, one that is still planned is fired again. The statement may also be carried out much later, when its send was
// given up here: what it fires then has never left, and is put back. Calls nobody itself.
import { BatchWriter } from '../../platform/database/batch-writer.js';
import { faultFields } from '../../platform/logging/log.js';
import type { RecordedAnswer } from '../store/send/answer.store.js';
import { findFired, type FiredSend, type FireFound } from '../store/send/fire.store.js';
import { neverCalledRow, type NeverCalled } from './answer-row.js';
import type { Ready } from './check-before-send.js';
import type { DispatchDeps } from './dispatch-deps.js';

/** What became of a fire. */
type FireFate =
  /** It was made, and stood at `askedAt`, elapsed(): its entry makes the call. */
  | { readonly kind: 'won'; readonly fired: FiredSend; readonly askedAt: number }
  /** It was made, but counts as lost already, or the send was asked back meanwhile: no call is made. */
  | { readonly kind: 'lost' }
  /** It was not made yet. */
  | { readonly kind: 'again' }
  /** Somebody else has the send, or nobody. */
  | { readonly kind: 'gone' };

export const NOT_CONFIRMED: NeverCalled = {
  code: 'FIRE_NOT_CONFIRMED',
  detail: 'the database did not say whether it may leave',
};
/** Sends that one statement asks about. */
const MOST_ASKED = 500;
/** How long a statement may live on its way to the server and in it (pooled-database.ts), real milliseconds. */
const STATEMENT_LIFE_MS = 120_000;
/** Between two checks for what such a statement did after all, real milliseconds. */
const CHECK_EVERY_MS = 250;
/** The same once only its COMMIT may still hang: on a disk that stalls, or until a synchronous standby is back. */
const CHECK_HUNG_EVERY_MS = 5_000;

interface Possible {
  readonly attempt: number;
  /** elapsed(); after this it can only be made by a COMMIT that hangs. */
  readonly until: number;
}

export class UnconfirmedFires {
  readonly #asked: BatchWriter<Ready>;
  /** By send, an attempt that was not called from here and may still be made. */
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
        log.error(fault, 'the database refuses to say whether it let a send go');
        decided(ready, { kind: 'gone' });
      },
      batch: MOST_ASKED,
      log,
    });
  }

  /** Asks about this send, of which nothing has left. */
  add(ready: Ready): void {
    const { id, attempts } = ready.entry;
    const until = this.deps.clock.elapsed() + STATEMENT_LIFE_MS;
    this.#possible.set(id, { attempt: attempts + 1, until });
    this.#asked.add(ready, () => undefined);
  }

  /** A fire of this send was confirmed, and it is called: no other fire of that attempt can be made. */
  confirmed(id: string): void {
    this.#possible.delete(id);
  }

  /**
   * Puts back what was fired without a confirmation and is not held here. No send may come to be held while this runs.
   * `now`: does not wait until a check is due.
   */
  async putBack(isHeld: (id: string) => boolean, now = false): Promise<void> {
    const open = this.#dueChecks(isHeld, now);
    if (open.length === 0) return;
    const { sql, clock, replica } = this.deps;
    const elapsed = clock.elapsed();
    const ids = open.map(([id]) => id);
    const found = await findFired(sql, ids, replica);
    await this.#putBackFired(open.filter(([id, { attempt }]) => isOnTheWire(found.get(id), attempt)));
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
    // Once ours, an attempt stays ours: the number of the attempt cannot name that of another replica.
    const written = fired.map(([id, { attempt }]) => {
      const row = neverCalledRow(id, attempt, this.deps.clock.now(), NOT_CONFIRMED);
      // Not waited for where it is set aside: a look ahead waits here.
      return new Promise<void>((done) => this.answers.add(row, done, 0, done));
    });
    await Promise.all(written);
    this.deps.log.warn(
      { sends: fired.length },
      'sends whose fire was not confirmed never left, and are planned again',
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
  if (row !== undefined && isOnTheWire(row, attempts + 1)) {
    const isToBeCalled = row.state === 'sending' && row.isWanted;
    return isToBeCalled ? { kind: 'won', fired: row, askedAt } : { kind: 'lost' };
  }
  return { kind: row?.state === 'planned' && row.attempt === attempts ? 'again' : 'gone' };
}

/** Whether that attempt was fired from here and may, as far as anybody knows, be in flight. */
function isOnTheWire(row: FireFound | undefined, attempt: number): boolean {
  return row?.isOurs === true && row.attempt === attempt && /^(sending|uncertain)$/.test(row.state);
}

/**
 * Whether that attempt cannot be made any more, or has been put back. A send with this attempt or a later one never comes back to an
 * earlier one. While a COMMIT hangs, its row is locked: the send stands as it was before the fire.
 */
function isOver({ attempt, until }: Possible, row: FireFound | undefined, elapsed: number): boolean {
  if ((row?.attempt ?? attempt) >= attempt) return true;
  const isAsBefore = row?.state === 'planned' && row.attempt === attempt - 1;
  return until <= elapsed && !isAsBefore;
}
