// A connection of its own that LISTENs. A NOTIFY in another process's commit wakes the loop that has work now. It is only a
// shortcut: the loops poll, and so find what this misses while it is not connected.
import type { Client } from 'pg';
import type { Secret } from '../env.js';
import type { Finding } from '../http/health.js';
import type { Log } from '../logging/log.js';
import { RunLoop } from '../loops/run-loop.js';
import { bareClient } from './pooled-database.js';

export interface DatabaseListenerOptions {
  readonly url: Secret;
  readonly applicationName: string;
  /** What to do for each channel, with the payload. */
  readonly handlers: Readonly<Record<string, (payload: string) => void>>;
  /** Called after every connect: nobody knows what was notified before. */
  readonly onConnect: () => void;
  readonly log: Log;
}

/** How often a query checks the connection, real milliseconds: a cut cable sends no FIN. */
const PROBE_EVERY_MS = 15_000;
const ANSWER_MS = 5_000;

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
      ? 'not listening for notifications: the loops find work by polling'
      : undefined;
  }

  async #probe(): Promise<number> {
    const client = this.#client;
    if (client === undefined) await this.#connect();
    else
      await client.query('select 1').catch((error: unknown) => {
        this.#client = undefined;
        leave(client);
        throw error;
      });
    return 0;
  }

  async #connect(): Promise<void> {
    const { url, applicationName, handlers, onConnect } = this.#options;
    const client = bareClient(url, applicationName, ANSWER_MS);
    client.on('end', () => {
      if (this.#client !== client) return;
      this.#client = undefined;
      this.#loop.wake();
    });
    client.on('notification', ({ channel, payload = '' }) => handlers[channel]?.(payload));
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
}

/** Does not wait for the end: a server that hangs would hold up the next connection. */
function leave(client: Client): void {
  client.end().catch(() => undefined);
}
