// Writes answers down in batches, one statement at a time, as they come. While the database is away they wait here
// (no more than are on the wire) and are tried again until it is back: an answer is dropped only with the process.
import { scheduler } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database.js';
import type { Log } from '../../platform/log.js';
import { recordAnswers, type RecordedAnswer } from '../store/answer.store.js';

const BATCH = 500;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2_000;

interface Waiting {
  readonly answer: RecordedAnswer;
  readonly done: () => void;
}

export class AnswerRecorder {
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;

  constructor(
    private readonly sql: Sql,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly by: string,
  ) {}

  /** `done` is called once the answer is in the database (or has proved impossible to write, which is logged). */
  add(answer: RecordedAnswer, done: () => void): void {
    this.#waiting.push({ answer, done });
    this.#running ??= this.#run();
  }

  /** Ends when nothing waits any more. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #run(): Promise<void> {
    // Answers of the same turn of the event loop go together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH);
      await this.#write(batch);
      for (const { done } of batch) done();
    }
    this.#running = undefined;
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      try {
        await recordAnswers(
          this.sql,
          batch.map((one) => one.answer),
          this.by,
          this.clock.now(),
        );
        return;
      } catch (error) {
        if (refusesTheRow(error)) {
          await this.#writeApart(batch, error);
          return;
        }
        if (wait === FIRST_WAIT_MS)
          this.log.error({ err: error, answers: batch.length }, 'answers wait for the database');
        await scheduler.wait(wait);
      }
    }
  }

  /** One answer the database will not have must not take its neighbours with it: its send ends uncertain. */
  async #writeApart(batch: readonly Waiting[], error: unknown): Promise<void> {
    const [only, ...others] = batch;
    if (only !== undefined && others.length === 0) {
      this.log.error(
        { err: error, send: only.answer.id },
        'an answer cannot be written; its send will be uncertain',
      );
      return;
    }
    const half = Math.ceil(batch.length / 2);
    await this.#write(batch.slice(0, half));
    await this.#write(batch.slice(half));
  }
}

/** SQLSTATE classes 22 (data) and 23 (constraints): the same statement would fail for ever. */
function refusesTheRow(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && typeof error.code === 'string' && /^2[23]/.test(error.code)
  );
}
