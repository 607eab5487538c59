// A PostgreSQL of a test's own whose data folder is copied and put back: what was committed between the two is lost, as in a
// restore, or in a failover to a standby that lagged.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startPostgres, type RunningPostgres } from '../../../tools/postgres.js';

const run = promisify(execFile);

export class OldCopy {
  private constructor(
    private readonly folder: string,
    readonly postgres: RunningPostgres,
  ) {}

  static async start(): Promise<OldCopy> {
    const folder = await mkdtemp(join(tmpdir(), 'carillon old copy '));
    return new OldCopy(folder, await startPostgres({ stateDir: join(folder, 'pg'), durable: false }));
  }

  /** Copies the data as it is now. */
  async take(): Promise<void> {
    await this.#whileStopped(async (data) => void (await run('cp', ['-a', data, this.#copy])));
  }

  /** Puts the copy in the place of the data. */
  async putBack(): Promise<void> {
    await this.#whileStopped(async (data) => {
      await rm(data, { recursive: true });
      await run('mv', [this.#copy, data]);
    });
  }

  async remove(): Promise<void> {
    await this.postgres.remove();
    await rm(this.folder, { recursive: true, force: true });
  }

  get #copy(): string {
    return `${this.postgres.dataDir}.copy`;
  }

  async #whileStopped(work: (data: string) => Promise<void>): Promise<void> {
    await this.postgres.halt();
    await work(this.postgres.dataDir);
    await this.postgres.restart();
  }
}
