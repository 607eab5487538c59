// A Kafka broker in a JVM of this machine. An archive of loaded classes halves its start once the first stop has
// written it; without one, or with one the JVM does not like, it only starts more slowly.
import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { OwnedCommand } from '../process/owned-process.js';
import type { Java } from './java.js';
import { formatProperties, localSettings, type Settings } from './settings.js';

const run = promisify(execFile);
const DUMP_FORGOTTEN_MS = 60 * 60_000;

/** One way to run a broker; kafka.ts knows no other difference between them. */
export interface Broker {
  /** Called before each start, with the same data. */
  prepare(clusterId: string, port: number, controllerPort: number): Promise<OwnedCommand>;
  /** Called after each end, with whether it was killed. */
  ended(wasKilled: boolean): Promise<void>;
  /** Deletes the data of a stopped broker. */
  removeData(): Promise<void>;
  /** Milliseconds it may take to get ready. */
  readonly patienceMs: number;
}

export class JvmBroker implements Broker {
  readonly patienceMs = 60_000;
  readonly #java: Java;
  readonly #jars: readonly string[];
  readonly #stateDir: string;
  readonly #archive: string;
  readonly #dump: string;

  constructor(
    java: Java,
    jars: readonly string[],
    stateDir: string,
    private readonly further: (ports: {
      readonly client: number;
      readonly controller: number;
    }) => Settings = () => ({}),
  ) {
    this.#java = java;
    this.#jars = jars;
    this.#stateDir = stateDir;
    // The archive belongs to one JVM and one set of jars, whose dates it checks.
    const made = jars.map((jar) => `${jar} ${statSync(jar).mtimeMs}`).join('\n');
    const key = createHash('sha256')
      .update(`${java.command} ${java.version}\n${made}`)
      .digest('hex')
      .slice(0, 12);
    this.#archive = join(dirname(jars[0] ?? '.'), `classes-${key}.jsa`);
    this.#dump = `${this.#archive}.${randomUUID()}.tmp`;
  }

  async prepare(clusterId: string, port: number, controllerPort: number): Promise<OwnedCommand> {
    const settings = join(this.#stateDir, 'kafka.properties');
    mkdirSync(this.#dataDir, { recursive: true });
    const ports = { client: port, controller: controllerPort };
    const all = { ...localSettings(port, controllerPort, this.#dataDir), ...this.further(ports) };
    writeFileSync(settings, formatProperties(all));
    if (!existsSync(join(this.#dataDir, 'meta.properties'))) await this.#format(clusterId, settings);
    return {
      command: this.#java.command,
      args: [...this.#flags('-Xmx384m'), ...this.#archiveFlags(), ...this.#main('kafka.Kafka'), settings],
      env: this.#env,
      logFile: join(this.#stateDir, 'kafka.log'),
      stopSignal: 'SIGTERM',
    };
  }

  /** Keeps the archive that this broker wrote on its way out, if it did; half of one would slow every later start. */
  async ended(wasKilled: boolean): Promise<void> {
    if (wasKilled) rmSync(this.#dump, { force: true });
    else if (existsSync(this.#dump)) renameSync(this.#dump, this.#archive);
  }

  async removeData(): Promise<void> {
    rmSync(this.#dataDir, { recursive: true, force: true });
  }

  get #dataDir(): string {
    return join(this.#stateDir, 'kafka');
  }
  get #env(): Record<string, string> {
    return { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', TZ: 'UTC' };
  }

  async #format(clusterId: string, settings: string): Promise<void> {
    const args = [
      ...this.#flags('-Xmx256m'),
      ...this.#sharedClasses(),
      ...this.#main('kafka.tools.StorageTool'),
    ];
    await run(this.#java.command, [...args, 'format', '-t', clusterId, '-c', settings], { env: this.#env });
  }

  #flags(heap: string): string[] {
    // A short-lived JVM does best with little compiling and no threads for collecting.
    return [heap, '-Xms64m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Djava.awt.headless=true'];
  }

  #main(name: string): string[] {
    // The ids that the log lines need are in the messages; without the time a log of three days cannot be read.
    const log = ['defaultLogLevel=warn', 'showDateTime=true', 'dateTimeFormat=yyyy-MM-dd HH:mm:ss.SSS'];
    return [...log.map((line) => `-Dorg.slf4j.simpleLogger.${line}`), '-cp', this.#jars.join(':'), name];
  }

  /** The flags for the archive, if there is one. */
  #sharedClasses(): string[] {
    if (!existsSync(this.#archive)) return [];
    return [`-XX:SharedArchiveFile=${this.#archive}`, '-Xshare:auto', '-Xlog:disable'];
  }

  #archiveFlags(): string[] {
    const shared = this.#sharedClasses();
    if (shared.length > 0) return shared;
    removeOldArchives(this.#archive);
    return [`-XX:ArchiveClassesAtExit=${this.#dump}`, '-Xlog:disable'];
  }
}

/**
 * Deletes archives of other JVMs and jars, and files that were being written an hour ago. Other processes may do the same, and
 * rename theirs meanwhile.
 */
function removeOldArchives(archive: string): void {
  const folder = dirname(archive);
  for (const name of readdirSync(folder).filter((file) => /\.jsa/.test(file) && file !== basename(archive))) {
    const old = join(folder, name);
    const written = statSync(old, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    if (!name.endsWith('.tmp') || written < Date.now() - DUMP_FORGOTTEN_MS) rmSync(old, { force: true });
  }
}
