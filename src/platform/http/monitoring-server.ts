// Serves /metrics, /health/live and /health/ready on an address of their own, by default on 127.0.0.1. It answers anybody who
// reaches it, without a token, so it gives no reasons. Nothing else is served there, so it answers however busy the port of the
// API is.
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import type { Log } from '../logging/log.js';
import { sharedWhileAsking } from '../metric.js';
import type { Health } from './health.js';
import { KEEP_ALIVE_MS } from './http-limits.js';

/** How long a request may take to arrive, real milliseconds. */
const REQUEST_MS = 10_000;
const MAX_CONNECTIONS = 100;

interface Monitored {
  readonly registry: Registry;
  readonly health: Pick<Health, 'report'>;
  readonly log: Log;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

export class MonitoringServer {
  readonly #server: Server;

  constructor({ registry, health, log }: Monitored) {
    // To collect the metrics, it asks the database.
    const collected = sharedWhileAsking(() => registry.metrics());
    const answers: Readonly<Record<string, () => Promise<Answer>>> = {
      '/metrics': async () => ({ status: 200, type: registry.contentType, text: await collected() }),
      '/health/live': () => Promise.resolve(inJson(200, 'live')),
      '/health/ready': async () =>
        (await health.report()).ready ? inJson(200, 'ready') : inJson(503, 'not-ready'),
    };
    const limits = {
      requestTimeout: REQUEST_MS,
      headersTimeout: REQUEST_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
    };
    this.#server = createServer(limits, (request, response) => {
      const path = request.url?.split('?')[0] ?? '';
      const answer = request.method === 'GET' && Object.hasOwn(answers, path) ? answers[path] : undefined;
      if (answer === undefined) {
        response.writeHead(404).end();
        return;
      }
      answer().then(
        (made) => write(response, made),
        (error: unknown) => {
          log.error({ err: error, path }, 'what is monitored could not be read');
          response.writeHead(500).end();
        },
      );
    });
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  /** Rejects with EADDRINUSE when the port is taken. Returns the address of the metrics. */
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

const inJson = (status: number, word: string): Answer => ({
  status,
  type: 'application/json; charset=utf-8',
  text: JSON.stringify({ status: word }),
});

function write(response: ServerResponse, { status, type, text }: Answer): void {
  const length = Buffer.byteLength(text);
  response
    .writeHead(status, { 'content-type': type, 'content-length': length, 'cache-control': 'no-store' })
    .end(text);
}
