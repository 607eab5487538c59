// Threads beside the event loop, for pure work that may take long: so a stranger's request never holds up the other work of the
// process. Each job has limits of memory and time, and a job that exceeds them ends alone. The only file that uses piscina.
import { move, Piscina, transferableSymbol, valueSymbol } from 'piscina';
import { errorCode } from '../logging/error-code.js';
import type { Owner } from '../fair-order.js';
import { Turns } from '../limited-turns.js';
import { WorkersBusyError, WorkLimitError } from './worker-errors.js';

export interface WorkerLimits {
  /** How many jobs run at once. */
  readonly threads: number;
  /** The most memory of each thread's heap, MiB. */
  readonly heapMb: number;
  /** A job that runs longer is ended, real milliseconds. */
  readonly jobMs: number;
}

/** How many further jobs may wait for a thread, and for how long, real milliseconds. */
const WAITING = { waiting: 200, waitMs: 60_000 };
/** A thread without work ends after this, real milliseconds, and gives its memory back. */
const IDLE_MS = 30_000;

/** The exported function `name` of a module that threads load. Its input and output are copied, so they must be plain data. */
export interface WorkerJob<Input, Output> {
  readonly module: URL;
  readonly name: string;
  /** For the types alone. */
  readonly runs?: (input: Input) => Output;
}

/** If this file runs from its TypeScript source (vitest, tsx), threads load sources in the same way. */
const FROM_SOURCES = import.meta.url.endsWith('.ts');

export class WorkerPool {
  readonly #pool: Piscina;
  readonly #turns: Turns;

  constructor(private readonly limits: WorkerLimits) {
    const { threads, heapMb } = limits;
    this.#pool = new Piscina({
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: IDLE_MS,
      recordTiming: false,
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
      execArgv: FROM_SOURCES ? ['--import', 'tsx'] : [],
    });
    // A thread ended between two jobs; the next job gets a new one.
    this.#pool.on('error', () => undefined);
    const busy = 'too many plans and large events wait for a thread: try again';
    this.#turns = new Turns({ ...WAITING, most: threads }, () => new WorkersBusyError(busy));
  }

  /** Throws WorkLimitError and WorkersBusyError; else what the job throws. `owner`: whose turn it is, from the outside in. */
  run<Input, Output>(
    { module, name }: WorkerJob<Input, Output>,
    input: Input,
    owner: Owner,
  ): Promise<Output> {
    const { heapMb, jobMs } = this.limits;
    const filename = FROM_SOURCES ? module.href.replace(/\.js$/, '.ts') : module.href;
    return this.#turns.take(owner, async () => {
      try {
        return (await this.#pool.run(input, {
          filename,
          name,
          signal: AbortSignal.timeout(jobMs),
        })) as Output;
      } catch (error) {
        if (error instanceof Error && error.name === 'AbortError')
          throw new WorkLimitError(`it took longer than ${jobMs / 1_000} s`, { cause: error });
        if (errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY')
          throw new WorkLimitError(`it took more than ${heapMb} MiB of memory`, { cause: error });
        throw error;
      }
    });
  }

  /** Ends the threads, whatever they do. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}

/** A job's result whose buffers are handed over instead of copied. */
export function handedOver<Output extends object>(output: Output, buffers: readonly Uint8Array[]): Output {
  const transferred = buffers.map(({ buffer }) => buffer);
  return move({ [transferableSymbol]: transferred, [valueSymbol]: output }) as Output;
}
