// All loops of a process: started together once it listens, stopped together when it drains, read by its health.
import { RunLoop, type RunLoopOptions } from './run-loop.js';
import type { Log } from './log.js';

export interface LoopStatus {
  name: string;
  /** What its last round failed with, or undefined. */
  lastError: string | undefined;
  /** Between two rounds, until it is woken or its time comes. */
  rests: boolean;
}

export class Loops {
  readonly #loops = new Map<string, RunLoop>();
  /** Stopped by whoever added them. */
  readonly #lasting = new Set<RunLoop>();
  readonly #starters: (() => void)[] = [];
  #started = false;

  constructor(private readonly log: Log) {}

  /** `lasts`: it goes on while the others stop and until whoever adds it stops it. */
  add({ lasts = false, ...options }: Omit<RunLoopOptions, 'log'> & { lasts?: boolean }): RunLoop {
    if (this.#loops.has(options.name)) throw new Error(`two loops are named ${options.name}`);
    const loop = new RunLoop({ ...options, log: this.log });
    this.#loops.set(options.name, loop);
    if (lasts) this.#lasting.add(loop);
    return loop;
  }

  /** Asks the named loop for a round now; a loop this process does not run is passed over. */
  wake(name: string): void {
    this.#loops.get(name)?.wake();
  }

  /** Asks the named loop for a round, should it rest and not be failing; see RunLoop.nudge(). */
  nudge(name: string): void {
    this.#loops.get(name)?.nudge();
  }

  get names(): string[] {
    return [...this.#loops.keys()];
  }

  /** Wakes all: what was notified while nobody listened is lost. */
  wakeAll(): void {
    for (const loop of this.#loops.values()) loop.wake();
  }

  /** For what is no loop but may begin no earlier than they do: a consumer. */
  onStart(begin: () => void): void {
    this.#starters.push(begin);
  }

  /** Once the database is there and migrated. Does nothing the second time. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    for (const loop of this.#loops.values()) loop.start();
    for (const begin of this.#starters) begin();
  }

  /** Ends when every running round has ended, but for those of loops that last. */
  async stop(): Promise<void> {
    const ending = [...this.#loops.values()].filter((loop) => !this.#lasting.has(loop));
    await Promise.all(ending.map((loop) => loop.stop()));
  }

  status(): LoopStatus[] {
    return [...this.#loops.values()].map(({ name, lastError, rests }) => ({ name, lastError, rests }));
  }
}
