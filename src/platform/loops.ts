// All loops of a process: started together once it listens, stopped together when it drains, read by its health.
import { RunLoop, type RunLoopOptions } from './run-loop.js';
import type { Log } from './log.js';

export interface LoopStatus {
  name: string;
  /** What its last round failed with, or undefined. */
  lastError: string | undefined;
}

export class Loops {
  readonly #loops = new Map<string, RunLoop>();

  constructor(private readonly log: Log) {}

  add(options: Omit<RunLoopOptions, 'log'>): RunLoop {
    if (this.#loops.has(options.name)) throw new Error(`two loops are named ${options.name}`);
    const loop = new RunLoop({ ...options, log: this.log });
    this.#loops.set(options.name, loop);
    return loop;
  }

  /** Asks the named loop for a round now; a loop this process does not run is passed over. */
  wake(name: string): void {
    this.#loops.get(name)?.wake();
  }

  start(): void {
    for (const loop of this.#loops.values()) loop.start();
  }

  /** Ends when every running round has ended. */
  async stop(): Promise<void> {
    await Promise.all([...this.#loops.values()].map((loop) => loop.stop()));
  }

  status(): LoopStatus[] {
    return [...this.#loops.values()].map((loop) => ({ name: loop.name, lastError: loop.lastError }));
  }
}
