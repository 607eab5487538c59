// Writes down what became of devices, for all workers of a process: a chunk's last outcomes at once when nothing is being
// written, else with all that gathered meanwhile; and of those that go on what is older than a quarter of a second, for
// that is what a process takes with it when it dies. One statement at a time.
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import type { Log } from '../../platform/log.js';
import { databaseFault } from '../gateway/database-fault.js';
import { retryingDeadlocks } from '../gateway/retry-deadlocks.js';
import type { OpenChunk } from './open-chunk.js';
import { recordChunks, type ChunkOutcome } from './outcome.store.js';

export interface RecorderOptions {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly log: Log;
  readonly worker: string;
  readonly leaseMs: number;
}

/** What was told waits for so long at most, real milliseconds. */
const GATHER_MS = 250;
/** Between two tries while the database is away. */
const AWAY_MS = 500;

interface Ending {
  readonly chunk: OpenChunk;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class Recorder {
  readonly #open = new Set<OpenChunk>();
  #ending: Ending[] = [];
  #isWriting = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: RecorderOptions) {}

  /** Its outcomes are recorded as they grow old, until end(). */
  begin(chunk: OpenChunk): void {
    this.#open.add(chunk);
  }

  /** Something was told. */
  noticed(): void {
    this.#timer ??= setTimeout(() => void this.#write(), GATHER_MS);
  }

  /** The claim ends. Resolves once that is written; rejects where the database refuses it. */
  end(chunk: OpenChunk): Promise<void> {
    this.#open.delete(chunk);
    if (chunk.isLost) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#ending.push({ chunk, resolve, reject });
      void this.#write();
    });
  }

  async #write(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    for (;;) {
      const ending = this.#ending.splice(0);
      const going = this.#grownOld();
      if (ending.length + going.length === 0) break;
      const outcomes = [
        ...ending.map(({ chunk }) => chunk.takeOutcome(true)),
        ...going.map((chunk) => chunk.takeOutcome(false)),
      ];
      try {
        const { ours, tries } = await this.#record(outcomes);
        // By a later try: the one before may have been done, its answer lost. If not, the next statement says so.
        if (tries === 1)
          for (const chunk of [...ending.map((one) => one.chunk), ...going])
            if (!ours.has(chunk.key)) this.#lose(chunk, 'a chunk was taken over by another');
        for (const { resolve } of ending) resolve();
      } catch (error) {
        // The lease of what goes on runs out by itself.
        for (const chunk of going) this.#lose(chunk, 'outcomes could not be recorded');
        for (const { reject } of ending) reject(error);
      }
    }
    this.#isWriting = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if ([...this.#open].some(({ freshSince }) => freshSince !== undefined)) this.noticed();
  }

  #grownOld(): OpenChunk[] {
    const before = this.options.clock.elapsed() - GATHER_MS;
    return [...this.#open].filter(
      ({ freshSince, isLost }) => !isLost && freshSince !== undefined && freshSince <= before,
    );
  }

  /** For as long as the database is away: what a provider said is said once. */
  async #record(
    outcomes: readonly ChunkOutcome[],
  ): Promise<{ readonly ours: ReadonlySet<string>; readonly tries: number }> {
    const { sql, clock, worker, leaseMs, log } = this.options;
    for (let tries = 1; ; tries += 1) {
      try {
        const now = new Date(clock.now());
        const ours = await retryingDeadlocks(() => recordChunks(sql, outcomes, { worker, leaseMs, now }));
        return { ours, tries };
      } catch (error) {
        if (databaseFault(error) === undefined) throw error;
        if (tries === 1) log.warn({ err: error, chunks: outcomes.length }, 'outcomes wait for the database');
        await new Promise((resolve) => setTimeout(resolve, AWAY_MS));
      }
    }
  }

  #lose(chunk: OpenChunk, message: string): void {
    chunk.isLost = true;
    this.options.log.warn({ chunk: chunk.key, trace: chunk.job.trace }, message);
  }
}
