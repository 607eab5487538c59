// A given number of signed requests over a given number of connections, each asking again as soon as it is answered.
// Ends the bench on any answer but the one expected: a fast refusal is no throughput.
import { performance } from 'node:perf_hooks';
import { Pool } from 'undici';
import { JSON_CONTENT_TYPE } from '../../src/push-contract/headers.js';
import { signedHeaders } from '../../src/push-contract/signature.js';
import type { Account } from './stage.js';

export interface LoadOptions {
  readonly url: string;
  readonly account: Account;
  readonly connections: number;
  readonly count: number;
  readonly method: 'GET' | 'POST';
  /** The nth request's path below the service's own. */
  readonly pathOf: (index: number) => string;
  readonly bodyOf?: (index: number) => string;
  readonly status: number;
}

export interface Loaded {
  readonly perSecond: number;
  /** The bodies of the answers, by index. */
  readonly bodies: readonly string[];
}

export async function load(options: LoadOptions): Promise<Loaded> {
  const pool = new Pool(options.url, { connections: options.connections });
  const bodies: string[] = [];
  let next = 0;
  const start = performance.now();
  const one = async (): Promise<void> => {
    while (next < options.count) {
      const index = next;
      next += 1;
      bodies[index] = await ask(pool, options, index);
    }
  };
  try {
    await Promise.all(Array.from({ length: options.connections }, one));
    return { perSecond: options.count / ((performance.now() - start) / 1_000), bodies };
  } finally {
    await pool.close();
  }
}

async function ask(pool: Pool, options: LoadOptions, index: number): Promise<string> {
  const { account, method, status } = options;
  const path = `/push/v2/services/${encodeURIComponent(account.serviceId)}/${options.pathOf(index)}`;
  const body = options.bodyOf?.(index);
  const answer = await pool.request({
    method,
    path,
    body: body ?? null,
    headers: {
      ...signedHeaders(method, path, { ...account, timestamp: Date.now() }),
      ...(body !== undefined && { 'content-type': JSON_CONTENT_TYPE }),
    },
  });
  const text = await answer.body.text();
  if (answer.statusCode !== status)
    throw new Error(`${method} ${path} was answered ${answer.statusCode}: ${text.slice(0, 500)}`);
  return text;
}
