// /metrics on an address of its own, by default on 127.0.0.1: it answers anybody who reaches it, and nothing else is served
// there.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import type { Log } from '../logging/log.js';
import { sharedWhileAsking } from './scraped-gauges.js';

/** A request has to arrive within this, real milliseconds. */
const REQUEST_MS = 10_000;
const MAX_CONNECTIONS = 100;

export class MetricsServer {
  readonly #server: Server;

  constructor(registry: Registry, log: Log) {
    const limits = { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS };
    // Collecting asks the database.
    const collected = sharedWhileAsking(() => registry.metrics());
    this.#server = createServer(limits, (request, response) => {
      if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') {
        response.writeHead(404).end();
        return;
      }
      collected().then(
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
    await once(this.#server.listen(port, host), 'listening');
    const bound = (this.#server.address() as AddressInfo).port;
    return `http://${host.includes(':') ? `[${host}]` : host}:${bound}/metrics`;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.closeIdleConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
