// All loops of a process: started together, stopped together when it drains, and read by its health.
import { RunLoop, type RunLoopOptions } from './run-loop.js';
import type { Log } from '../logging/log.js';

export interface LoopOptions extends Omit<RunLoopOptions, 'log'> {
  /** How many rounds run at once [1]. They are woken together, and health shows them as `name-1`, `name-2` and so on. */
  readonly workers?: number;
  /** It goes on while the others stop, until end() [false]. */
  readonly lasts?: boolean;
}

export class Loops {
  readonly #loops = new Map<string, readonly RunLoop[]>();
  readonly #lasting = new Set<RunLoop>();
  readonly #starters: (() => void)[] = [];
  #started = false;

  constructor(private readonly log: Log) {}

  add({ workers = 1, lasts = false, ...options }: LoopOptions): void {
    const { name } = options;
    if (this.#loops.has(name)) throw new Error(`two loops are named ${name}`);
    const loops = Array.from({ length: workers }, (_, worker) => {
      const nameOf = workers === 1 ? name : `${name}-${worker + 1}`;
      return new RunLoop({ ...options, name: nameOf, log: this.log });
    });
    this.#loops.set(name, loops);
    if (lasts) for (const loop of loops) this.#lasting.add(loop);
  }

  /** Resolves when the running round of the named loop has ended, and it begins no other. */
  async end(name: string): Promise<void> {
    await Promise.all((this.#loops.get(name) ?? []).map((loop) => loop.stop()));
  }

  /** Asks the named loop for a round now. A loop that this process does not run is ignored. */
  wake(name: string): void {
    for (const loop of this.#loops.get(name) ?? []) loop.wake();
  }

  /** Asks the named loop for a round if it rests and is not failing; see RunLoop.wakeResting(). */
  wakeResting(name: string): void {
    for (const loop of this.#loops.get(name) ?? []) loop.wakeResting();
  }

  get names(): string[] {
    return [...this.#loops.keys()];
  }

  get #all(): RunLoop[] {
    return [...this.#loops.values()].flat();
  }

  /** Wakes all loops: notifications that came while nobody listened are lost. */
  wakeAll(): void {
    for (const loop of this.#all) loop.wake();
  }

  /** For something that is no loop but must not begin earlier than the loops, such as a consumer. */
  onStart(begin: () => void): void {
    this.#starters.push(begin);
  }

  /** Call it once the database is reachable and migrated. The second call does nothing. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    for (const loop of this.#all) loop.start();
    for (const begin of this.#starters) begin();
  }

  /** Resolves when every running round has ended, except those of loops that last. */
  async stop(): Promise<void> {
    const ending = this.#all.filter((loop) => !this.#lasting.has(loop));
    await Promise.all(ending.map((loop) => loop.stop()));
  }

  status(): readonly Pick<RunLoop, 'name' | 'lastError' | 'rests'>[] {
    return this.#all;
  }
}
