// A long-running program that this process starts and stops by its pid. It has a session of its own, so that Ctrl-C reaches the
// owner first and the owner can drain before its database ends. It writes to a log file and never to a pipe, so that a killed
// owner leaves it no broken pipe to die of.
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { scheduler } from 'node:timers/promises';
import { identityOf, isRunning, type ProcessIdentity } from './identity.js';

export interface OwnedCommand {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  logFile: string;
  /** Runs as this user and group; needs root. */
  runAs?: { uid: number; gid: number };
  /** The signal that ends it in good order. */
  stopSignal: 'SIGINT' | 'SIGTERM';
}

export class OwnedProcess {
  readonly identity: ProcessIdentity;
  /** Resolves once it has ended, with a few words on how; never rejects. */
  readonly exited: Promise<string>;
  readonly #child: ChildProcess;
  readonly #command: OwnedCommand;
  readonly #logFrom: number;
  readonly #atExit = (): void => this.signal(this.#command.stopSignal);
  #end: string | undefined;

  private constructor(
    child: ChildProcess,
    identity: ProcessIdentity,
    command: OwnedCommand,
    logFrom: number,
  ) {
    this.#child = child;
    this.identity = identity;
    this.#command = command;
    this.#logFrom = logFrom;
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#end = signal === null ? `exit code ${code}` : `signal ${signal}`;
        process.off('exit', this.#atExit);
        resolve(this.#end);
      });
    });
    process.on('exit', this.#atExit);
  }

  /** Starts it. Rejects when the program cannot be run at all. */
  static async start(command: OwnedCommand): Promise<OwnedProcess> {
    const log = openSync(command.logFile, 'a', 0o600);
    const logFrom = statSync(command.logFile).size;
    try {
      const child = spawn(command.command, command.args, {
        cwd: '/',
        env: command.env,
        detached: true,
        stdio: ['ignore', log, log],
        ...command.runAs,
      });
      const failed = new Promise<Error>((resolve) => child.once('error', resolve));
      const identity = child.pid === undefined ? undefined : identityOf(child.pid);
      if (identity === undefined && child.pid === undefined) {
        throw new Error(`cannot run ${command.command}`, { cause: await failed });
      }
      // A program that ended at once has no identity any more; its exit event shows the rest.
      return new OwnedProcess(child, identity ?? { pid: child.pid ?? 0, began: 'ended' }, command, logFrom);
    } finally {
      closeSync(log);
    }
  }

  /** How it ended, or undefined while it runs. */
  get end(): string | undefined {
    return this.#end;
  }

  /** What it has written to its log since it was started. */
  get output(): string {
    return readFileSync(this.#command.logFile).subarray(this.#logFrom).toString('utf8');
  }

  signal(signal: NodeJS.Signals): void {
    if (this.#end === undefined) this.#child.kill(signal);
  }

  /** Ends it in good order; what has not ended after `graceMs` is killed. Returns once it is gone. */
  async stop(graceMs = 15_000): Promise<void> {
    this.signal(this.#command.stopSignal);
    // One that was paused by SIGSTOP takes the signal only when it goes on.
    this.signal('SIGCONT');
    const patience = new AbortController();
    const late = scheduler.wait(graceMs, { signal: patience.signal }).then(
      () => this.signal('SIGKILL'),
      () => undefined,
    );
    await this.exited;
    patience.abort();
    await late;
  }
}

/** Ends a process that is not our child, such as one a killed owner left over. Does nothing once it is gone. */
export async function stopLeftover(
  left: ProcessIdentity,
  signal: NodeJS.Signals,
  graceMs = 15_000,
): Promise<void> {
  const send = (what: NodeJS.Signals): void => {
    if (isRunning(left)) process.kill(left.pid, what);
  };
  send(signal);
  send('SIGCONT');
  const deadline = performance.now() + graceMs;
  while (isRunning(left)) {
    if (performance.now() > deadline) send('SIGKILL');
    await scheduler.wait(20);
  }
}
