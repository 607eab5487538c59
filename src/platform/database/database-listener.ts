// One connection of its own that LISTENs: a NOTIFY in another process's commit wakes the loop that has work now. Only a
// shortcut: what it misses while it is away is found by those who look for it themselves.
import { Client } from 'pg';
import type { Secret } from '../env.js';
import type { Finding } from '../http/health.js';
import type { Log } from '../log.js';
import { RunLoop } from '../run-loop.js';

export interface DatabaseListenerOptions {
  readonly url: Secret;
  readonly applicationName: string;
  /** What to do for each channel. */
  readonly handlers: Readonly<Record<string, () => void>>;
  /** After every (re)connect: whatever was notified before is unknown. */
  readonly onConnect: () => void;
  readonly log: Log;
}

/** The connection is asked for a sign of life this often, real milliseconds: a cut cable sends no FIN. */
const PROBE_EVERY_MS = 15_000;

export class DatabaseListener {
  readonly #options: DatabaseListenerOptions;
  readonly #loop: RunLoop;
  #client: Client | undefined;

  constructor(options: DatabaseListenerOptions) {
    this.#options = options;
    this.#loop = new RunLoop({
      name: 'listen',
      runOnce: () => this.#probe(),
      idleMs: PROBE_EVERY_MS,
      log: options.log,
    });
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    const client = this.#client;
    this.#client = undefined;
    await client?.end();
  }

  finding(): Finding {
    return this.#client === undefined
      ? 'not listening for notifications: work is found by looking for it'
      : undefined;
  }

  async #probe(): Promise<number> {
    if (this.#client === undefined) {
      await this.#connect();
    } else {
      try {
        await this.#client.query('select 1');
      } catch (error) {
        this.#drop();
        throw error;
      }
    }
    return 0;
  }

  async #connect(): Promise<void> {
    const { url, applicationName, handlers, onConnect } = this.#options;
    const client = new Client({
      connectionString: url.reveal(),
      application_name: applicationName,
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
      keepAlive: true,
    });
    // Also after the loss: an error nobody listens to would end the process.
    client.on('error', () => undefined);
    client.on('end', () => {
      if (this.#client !== client) return;
      this.#client = undefined;
      this.#loop.wake();
    });
    client.on('notification', ({ channel }) => handlers[channel]?.());
    try {
      await client.connect();
      for (const channel of Object.keys(handlers))
        await client.query(`listen ${client.escapeIdentifier(channel)}`);
    } catch (error) {
      leave(client);
      throw error;
    }
    this.#client = client;
    onConnect();
  }

  #drop(): void {
    if (this.#client !== undefined) leave(this.#client);
    this.#client = undefined;
  }
}

/** Not waited for: a server that hangs would hold up the next connection. */
function leave(client: Client): void {
  client.end().catch(() => undefined);
}
