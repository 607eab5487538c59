// One of the two services as a process of its own, on a port that stays the same over restarts. If a killed owner left the
// service running, its identity file shows it, and it is ended first.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { scheduler } from 'node:timers/promises';
import { z } from 'zod';
import { OwnedProcess, stopLeftover } from '../process/owned-process.js';
import { readJson, writePrivateJson } from '../process/private-file.js';
import { projectRoot } from '../project.js';
import { NODE_OPTIONS } from './node-options.js';

export interface ServiceOptions {
  name: 'push-service' | 'scheduler';
  stateDir: string;
  /** The address at which it answers, and the path that answers 200 once it is ready. */
  url: string;
  readyUrl: string;
  env: Readonly<Record<string, string>>;
  /** The project whose dist/ it runs; this one by default. */
  root?: string | undefined;
}

const Identity = z.object({ pid: z.number(), began: z.string() });
const READY_WITHIN_MS = 60_000;

export class Service {
  readonly logFile: string;
  readonly url: string;
  #options: ServiceOptions;
  readonly #identityFile: string;
  #process: OwnedProcess | undefined;

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.url = options.url;
    mkdirSync(options.stateDir, { recursive: true });
    this.logFile = join(options.stateDir, `${options.name}.log`);
    this.#identityFile = Service.#identityFileOf(options.stateDir, options.name);
  }

  static #identityFileOf(stateDir: string, name: string): string {
    return join(stateDir, `${name}.pid.json`);
  }

  /** Ends the service that a killed owner left running in `stateDir`, if there is one. */
  static async stopLeftover(stateDir: string, name: ServiceOptions['name']): Promise<void> {
    const file = Service.#identityFileOf(stateDir, name);
    const left = Identity.safeParse(readJson(file));
    if (left.success) await stopLeftover(left.data, 'SIGTERM');
    rmSync(file, { force: true });
  }

  get pid(): number {
    return this.#process?.identity.pid ?? 0;
  }

  /** How its process ended, or undefined while it runs. */
  get end(): string | undefined {
    return this.#process === undefined ? 'not started' : this.#process.end;
  }

  /** Starts it and returns once it says it is ready. Throws with the end of its log when it ends or stays unready. */
  async start(): Promise<void> {
    await this.launch();
    const deadline = performance.now() + READY_WITHIN_MS;
    while (!(await this.isReady())) {
      if (this.end !== undefined) throw new Error(this.#trouble(`ended with ${this.end}`));
      if (performance.now() > deadline) throw new Error(this.#trouble('did not get ready within a minute'));
      await scheduler.wait(50);
    }
  }

  /** Stops it and starts it with further variables, on the same port. */
  async restart(further: Readonly<Record<string, string>>): Promise<void> {
    await this.stop();
    this.#options = { ...this.#options, env: { ...this.#options.env, ...further } };
    await this.start();
  }

  /** Starts it without waiting until it is ready. */
  async launch(): Promise<void> {
    this.#process = await OwnedProcess.start({
      command: process.execPath,
      args: [
        ...NODE_OPTIONS[this.#options.name],
        join(this.#options.root ?? projectRoot, 'dist', 'src', this.#options.name, 'main.js'),
      ],
      env: { PATH: process.env['PATH'] ?? '', ...this.#options.env },
      logFile: this.logFile,
      stopSignal: 'SIGTERM',
    });
    writePrivateJson(this.#identityFile, this.#process.identity);
  }

  async isReady(): Promise<boolean> {
    try {
      const answer = await fetch(this.#options.readyUrl, {
        signal: AbortSignal.timeout(5_000),
      });
      await answer.arrayBuffer();
      return answer.ok;
    } catch {
      return false;
    }
  }

  /** SIGSTOP, SIGCONT or SIGKILL in a test of faults. */
  signal(signal: NodeJS.Signals): void {
    this.#process?.signal(signal);
  }

  /** Resolves once its process is gone, with a few words on how. */
  async ended(): Promise<string> {
    return this.#process?.exited ?? 'not started';
  }

  async stop(): Promise<void> {
    await this.#process?.stop();
    rmSync(this.#identityFile, { force: true });
  }

  #trouble(what: string): string {
    const lines = (this.#process?.output ?? '').trimEnd().split('\n').slice(-15).join('\n');
    return `the ${this.#options.name} ${what}; its log (${this.logFile}) ends with:\n${lines}`;
  }
}
