// Keeps in memory which sends this process fired lately and their answers. If a failover or a restore has lost commits, it writes
// these to the database again, before anything is fired on that server (docs/decisions/0067). Calls nobody and fires nothing.
import type { BatchWriter } from '../../platform/database/batch-writer.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import type { RecordedAnswer } from '../store/send/answer.store.js';
import { markLostFires, rowsWithout, type LostFire, type RowOfFired } from '../store/send/lost-fire.store.js';
import type { DispatchDeps } from './dispatch-deps.js';

interface KeptFire {
  readonly attempt: number;
  readonly firedAt: EpochMs;
  readonly answer?: RecordedAnswer;
  /** When the answer was written down, elapsed(); undefined: it is not. */
  readonly writtenAt?: number;
}

/** The most sends that one statement asks about or marks. */
const PAGE = 1_000;

export class KeptFires {
  readonly #fires = new Map<string, KeptFire>();

  constructor(
    private readonly deps: Pick<DispatchDeps, 'sql' | 'clock' | 'log' | 'replica' | 'by'>,
    /** How long an answer is kept after it was written down, real milliseconds. */
    private readonly windowMs: number,
  ) {}

  fired(id: string, attempt: number): void {
    this.#fires.set(id, { attempt, firedAt: this.deps.clock.now() });
  }

  answered(answer: RecordedAnswer): void {
    const kept = this.#fires.get(answer.id);
    if (kept?.attempt === answer.attempt) this.#fires.set(answer.id, { ...kept, answer });
  }

  written(answers: readonly RecordedAnswer[]): void {
    const writtenAt = this.deps.clock.elapsed();
    for (const { id, attempt } of answers) {
      const kept = this.#fires.get(id);
      if (kept?.attempt === attempt) this.#fires.set(id, { ...kept, writtenAt });
    }
  }

  /** Forgets answers that the database has had for `windowMs`. Call it only while the same server answers as before. */
  forgetOld(): void {
    const from = this.deps.clock.elapsed() - this.windowMs;
    for (const [id, { writtenAt = Infinity }] of this.#fires) if (writtenAt < from) this.#fires.delete(id);
  }

  /**
   * Makes every send uncertain that was fired from here and whose row lacks that attempt, and writes missing answers again.
   * Resolves once no fire of these attempts can take effect; the answers follow later. Rejects if the database fails.
   */
  async reconcile(answers: BatchWriter<RecordedAnswer>): Promise<void> {
    const { sql, clock, log, replica, by } = this.deps;
    const all = [...this.#fires].map(([id, { attempt }]) => ({ id, attempt }));
    let uncertain = 0;
    const gone: string[] = [];
    for (let from = 0; from < all.length; from += PAGE) {
      const rows = await rowsWithout(sql, all.slice(from, from + PAGE));
      const lost = rows.flatMap((row) => this.#lostBy(row));
      uncertain += await markLostFires(sql, lost, { at: clock.now(), by, replica });
      for (const { id, attempts } of rows) {
        if (attempts === null) gone.push(id);
        const answer = this.#fires.get(id)?.answer;
        if (attempts !== null && answer !== undefined) answers.add(answer, () => undefined);
      }
    }
    if (uncertain > 0)
      log.error(
        { uncertain },
        'the database had lost attempts of sends that were sent: these sends are uncertain now, and none is sent again',
      );
    if (gone.length > 0)
      log.error(
        { gone: gone.length, sends: gone.slice(0, 20) },
        'the database has lost sends that were sent: if their events come again, they are sent again',
      );
  }

  /** The fire, if the row lacks its attempt. None for a send whose answer proves that it was not sent: it may be fired again. */
  #lostBy({ id, attempt, attempts }: RowOfFired): LostFire[] {
    const kept = this.#fires.get(id);
    if (kept === undefined || attempts === null || attempts >= attempt) return [];
    if (kept.answer?.state === 'planned') return [];
    return [{ id, attempt, firedAt: kept.firedAt, requestId: kept.answer?.requestId ?? null }];
  }
}
