// Records what became of devices, for all workers of a process, with one statement at a time. It records a chunk's last outcomes
// at once, or, while a statement runs, together with everything that comes meanwhile. It records outcomes of other chunks when
// they are a quarter of a second old, because a process that dies loses what is not recorded.
import { setTimeout as rest } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import type { Log } from '../../platform/logging/log.js';
import { databaseFault } from '../gateway/database-fault.js';
import type { OpenChunk } from './open-chunk.js';
import { recordChunks, type ChunkOutcome } from './outcome.store.js';

export interface RecorderOptions {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly log: Log;
  readonly worker: string;
  readonly leaseMs: number;
}

/** The longest time that an outcome waits, real milliseconds. */
const GATHER_MS = 250;
/** Between two tries while the database is away, real milliseconds. */
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

  /** From here to end(), outcomes of the chunk are recorded once they are GATHER_MS old. */
  begin(chunk: OpenChunk): void {
    this.#open.add(chunk);
  }

  /** Call it when a chunk got an outcome. */
  noticed(): void {
    this.#timer ??= setTimeout(() => void this.#write(), GATHER_MS);
  }

  /** Ends the claim. Resolves once that is recorded; rejects if the database refuses it. */
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
    const { log } = this.options;
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
        // An earlier try may have taken effect although its answer was lost. If a chunk is lost, the next statement shows it.
        if (tries === 1)
          for (const chunk of [...ending.map((one) => one.chunk), ...going])
            if (!ours.has(chunk.key)) chunk.lose(log);
        for (const { resolve } of ending) resolve();
      } catch (error) {
        // The leases of the chunks that are not at their end run out by themselves.
        for (const chunk of going) chunk.lose(log, 'outcomes could not be recorded');
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

  /**
   * Tries again while the database is away or undoes the statement in favour of another: a provider gives its answer only once.
   */
  async #record(
    outcomes: readonly ChunkOutcome[],
  ): Promise<{ readonly ours: ReadonlySet<string>; readonly tries: number }> {
    const { sql, clock, worker, leaseMs, log } = this.options;
    for (let tries = 1; ; tries += 1) {
      try {
        const now = new Date(clock.now());
        const ours = await recordChunks(sql, outcomes, { worker, leaseMs, now });
        return { ours, tries };
      } catch (error) {
        if (databaseFault(error) === undefined) throw error;
        if (tries === 1) log.warn({ err: error, chunks: outcomes.length }, 'outcomes wait for the database');
        await rest(AWAY_MS);
      }
    }
  }
}
