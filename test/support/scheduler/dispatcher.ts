// Starts and kills test/compiled/dispatcher-process.ts.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { projectRoot } from '../../../tools/project.js';
import type { ClockOrder, ProcessSettings } from '../../compiled/dispatcher-process.js';

/** As `npm run build` made it. */
const PROGRAM = join(projectRoot, 'dist/test/compiled/dispatcher-process.js');

export class Dispatcher {
  private constructor(
    private readonly child: ChildProcess,
    readonly by: string,
  ) {}

  /** Returns once its loops run. */
  static async start(settings: ProcessSettings): Promise<Dispatcher> {
    // The channel ends with this process, and it with the channel: none is left over.
    const child = fork(PROGRAM, [JSON.stringify(settings)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const dispatcher = new Dispatcher(child, settings.by);
    await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => Promise.reject(new Error('the dispatcher ended at once'))),
    ]);
    return dispatcher;
  }

  /** Stops it in the midst of whatever it does, until go(). */
  hold(): void {
    this.child.kill('SIGSTOP');
  }

  go(): void {
    this.child.kill('SIGCONT');
  }

  /** Sets its clock to be so far ahead of the machine's, milliseconds. */
  setClock(clockAheadMs: number): void {
    this.child.send({ clockAheadMs } satisfies ClockOrder);
  }

  /** As a crash does it. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Drains. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill(signal);
    await once(this.child, 'exit');
  }
}
