// The servers that all spec files of a run share: one PostgreSQL with a migrated template database, and one Kafka.
// Lives in Vitest's own process; spec files reach it through database.ts and kafka.ts beside this file.
import { chmodSync, existsSync, mkdirSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { prepareGivenKafka, startKafka, stopLeftoverKafka, type RunningKafka } from '../../../tools/kafka.js';
import { findKafka } from '../../../tools/kafka/find.js';
import { discardPostgres, startPostgres, type RunningPostgres } from '../../../tools/postgres.js';
import { HeldError, hold, holderOf } from '../../../tools/process/hold.js';
import { isRunning } from '../../../tools/process/identity.js';
import { SERVICE_SCHEMAS, withMigrated } from '../../../tools/schema/services.js';
import { memoryFolder } from './memory-folder.js';
import { addSpecYears } from '../postgres/partitions.js';

/** The database that every spec file's own is cloned from. Nobody may stay connected to it. */
const TEMPLATE = 'carillon_template';
/** In a run's folder: leads to where its data and its temporary files lie, if that is elsewhere. */
const ELSEWHERE = 'elsewhere';

export interface PostgresAnswer {
  /** The superuser's URL of the database `postgres`. */
  adminUrl: string;
  template: string;
}

export interface KafkaAnswer {
  brokers: string[];
}

export class SharedServers {
  readonly #folder: string;
  readonly #data: string;
  readonly #release: () => void;
  #cluster: Promise<RunningPostgres> | undefined;
  #template: Promise<PostgresAnswer> | undefined;
  #broker: Promise<Pick<RunningKafka, 'brokers' | 'stop'>> | undefined;

  private constructor(folder: string, release: () => void) {
    this.#folder = folder;
    this.#data = dataOf(folder);
    this.#release = release;
  }

  /**
   * Clears what killed runs left over, and makes this run's folder below the project's `.carillon`, its data in memory or there.
   */
  static async open(projectRoot: string): Promise<SharedServers> {
    const all = join(projectRoot, '.carillon', 'test');
    mkdirSync(all, { recursive: true });
    await clearDeadRuns(all);
    const folder = join(all, String(process.pid));
    // One that was killed as it began or ended, and had our number.
    removeRun(folder);
    mkdirSync(folder);
    const release = hold(join(folder, 'run.hold'));
    const memory = memoryFolder();
    if (memory !== undefined) symlinkSync(memory, join(folder, ELSEWHERE));
    return new SharedServers(folder, release);
  }

  /** For the temporary files of specs, gone with the run; undefined where they lie in the system's folder for them. */
  temporaryFolder(): string | undefined {
    if (this.#data === this.#folder) return undefined;
    const folder = join(this.#data, 'tmp');
    mkdirSync(folder, { recursive: true });
    // As the system's: other users write there as well.
    chmodSync(folder, 0o1777);
    return folder;
  }

  /** A cluster whose template database has every migration done; started by the first who asks. */
  postgres(): Promise<PostgresAnswer> {
    this.#template ??= this.#migratedTemplate();
    return this.#template;
  }

  /** One broker with Carillon's topics, or the brokers that KAFKA_BROKERS names. */
  async kafka(): Promise<KafkaAnswer> {
    this.#broker ??= this.#startedBroker();
    const { brokers } = await this.#broker;
    return { brokers };
  }

  /** Stops every server that was started and deletes its data. */
  async close(): Promise<void> {
    const postgres = await this.#cluster?.catch(() => undefined);
    const broker = await this.#broker?.catch(() => undefined);
    await Promise.all([postgres?.remove(), broker?.stop()]);
    // Held until nothing is left: what names no holder, nobody clears.
    removeRun(this.#folder);
    this.#release();
  }

  async #startedBroker(): Promise<Pick<RunningKafka, 'brokers' | 'stop'>> {
    const found = await findKafka();
    if (found.kind === 'none') throw new Error(found.reason);
    if (found.kind !== 'given') return startKafka({ stateDir: join(this.#data, 'kafka'), found });
    await prepareGivenKafka(found.brokers);
    return { brokers: found.brokers, stop: async () => undefined };
  }

  async #migratedTemplate(): Promise<PostgresAnswer> {
    this.#cluster = startPostgres({ stateDir: join(this.#data, 'postgres'), durable: false });
    const postgres = await this.#cluster;
    const url = await postgres.ensureDatabase(TEMPLATE);
    for (const one of SERVICE_SCHEMAS) await withMigrated(url, one, addSpecYears);
    return { adminUrl: postgres.url, template: TEMPLATE };
  }
}

async function clearDeadRuns(all: string): Promise<void> {
  for (const name of readdirSync(all)) {
    const folder = join(all, name);
    const holder = holderOf(join(folder, 'run.hold'));
    if (holder === undefined || isRunning(holder)) continue;
    try {
      await discardPostgres(join(dataOf(folder), 'postgres'));
      await stopLeftoverKafka(join(dataOf(folder), 'kafka'));
      removeRun(folder);
    } catch (error) {
      // A run that began at the same time clears it.
      if (!(error instanceof HeldError)) throw error;
    }
  }
}

function dataOf(folder: string): string {
  const elsewhere = join(folder, ELSEWHERE);
  return existsSync(elsewhere) ? realpathSync(elsewhere) : folder;
}

function removeRun(folder: string): void {
  for (const part of [dataOf(folder), folder]) rmSync(part, { recursive: true, force: true });
}
