// All loops of a process: started together, stopped together when it drains, and read by its health.
import { RunLoop, type RunLoopOptions } from './run-loop.js';
import type { Log } from '../logging/log.js';

export class Loops {
  readonly #loops = new Map<string, RunLoop>();
  /** The caller that added them stops them. */
  readonly #lasting = new Set<RunLoop>();
  readonly #starters: (() => void)[] = [];
  #started = false;

  constructor(private readonly log: Log) {}

  /** `lasts`: it goes on while the others stop, until the caller that added it stops it. */
  add({ lasts = false, ...options }: Omit<RunLoopOptions, 'log'> & { lasts?: boolean }): RunLoop {
    if (this.#loops.has(options.name)) throw new Error(`two loops are named ${options.name}`);
    const loop = new RunLoop({ ...options, log: this.log });
    this.#loops.set(options.name, loop);
    if (lasts) this.#lasting.add(loop);
    return loop;
  }

  /** Asks the named loop for a round now. A loop that this process does not run is ignored. */
  wake(name: string): void {
    this.#loops.get(name)?.wake();
  }

  /** Asks the named loop for a round if it rests and is not failing; see RunLoop.nudge(). */
  nudge(name: string): void {
    this.#loops.get(name)?.nudge();
  }

  get names(): string[] {
    return [...this.#loops.keys()];
  }

  /** Wakes all loops: notifications that came while nobody listened are lost. */
  wakeAll(): void {
    for (const loop of this.#loops.values()) loop.wake();
  }

  /** For what is not a loop, but must not begin earlier than the loops: a consumer. */
  onStart(begin: () => void): void {
    this.#starters.push(begin);
  }

  /** Call it once the database is there and migrated. The second call does nothing. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    for (const loop of this.#loops.values()) loop.start();
    for (const begin of this.#starters) begin();
  }

  /** Resolves when every running round has ended, except those of loops that last. */
  async stop(): Promise<void> {
    const ending = [...this.#loops.values()].filter((loop) => !this.#lasting.has(loop));
    await Promise.all(ending.map((loop) => loop.stop()));
  }

  status(): readonly Pick<RunLoop, 'name' | 'lastError' | 'rests'>[] {
    return [...this.#loops.values()];
  }
}
