// Ports of 127.0.0.1. A port found free may be taken a moment later: whoever binds it must be ready to try another.
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below those that systems give to connections on their way out (Linux: from 32 768 on): one of these, found free, was taken
 * by a connection before the service that it was for had started.
 */
const [LOWEST, HIGHEST] = [20_000, 32_767];
const TRIES = 100;

/** A port of 127.0.0.1 that nobody listens on right now. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const port = randomInt(LOWEST, HIGHEST + 1);
    if (await isFree(port)) return port;
  }
  throw new Error(`no port of 127.0.0.1 from ${LOWEST} to ${HIGHEST} is free`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const listens = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (listens) await new Promise((resolve) => server.close(resolve));
  return listens;
}
