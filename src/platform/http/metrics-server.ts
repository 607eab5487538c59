// /metrics on an address of its own, 127.0.0.1 unless told otherwise: it is open to whoever reaches it, and nothing
// else is served there.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import type { Log } from '../log.js';

/** Real milliseconds in which a request has arrived. */
const REQUEST_MS = 10_000;
const MAX_CONNECTIONS = 100;

export class MetricsServer {
  readonly #server: Server;
  #collecting: Promise<string> | undefined;

  constructor(registry: Registry, log: Log) {
    const limits = { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS };
    this.#server = createServer(limits, (request, response) => {
      if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') {
        response.writeHead(404).end();
        return;
      }
      // Those who ask while they are collected get the same: collecting asks the database.
      this.#collecting ??= registry.metrics().finally(() => (this.#collecting = undefined));
      this.#collecting.then(
        (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
        (error: unknown) => {
          log.error({ err: error }, 'the metrics could not be collected');
          response.writeHead(500).end();
        },
      );
    });
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  /** Rejects with EADDRINUSE when the port is taken. Returns the address it listens on. */
  async listen(host: string, port: number): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    const bound = (this.#server.address() as AddressInfo).port;
    return `http://${host.includes(':') ? `[${host}]` : host}:${bound}/metrics`;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.closeIdleConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
