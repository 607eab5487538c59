// Ports of 127.0.0.1 for the servers that this process starts. A server binds its port seconds after it was drawn, and again
// after each restart. Until this process ends, nobody else who draws here gets the same port.
import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { createServer } from 'node:net';

/**
 * Below those that systems give to connections on their way out (Linux: from 32 768 on): one of these, found free, was taken
 * by a connection before the service that it was for had started.
 */
const RANGE = { lowest: 20_000, highest: 32_767 };

/** A port of 127.0.0.1 that nobody listens on, and that nobody else draws while this process lives. */
export async function freePort({ lowest, highest } = RANGE): Promise<number> {
  const count = highest - lowest + 1;
  const first = randomInt(count);
  for (let step = 0; step < count; step += 1) {
    const port = lowest + ((first + step) % count);
    const reservation = await reserve(port);
    if (reservation === undefined) continue;
    if (await isFree(port)) return port;
    reservation.close();
  }
  throw new Error(`no port of 127.0.0.1 from ${lowest} to ${highest} is free`);
}

/**
 * The UDP port of the same number marks the owner of a port: nothing listens on it, every process sees it, and it ends with its
 * process.
 */
async function reserve(port: number): Promise<Socket | undefined> {
  const socket = createSocket('udp4').unref();
  const isOurs = await new Promise<boolean>((resolve) => {
    socket.once('error', () => resolve(false));
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(true));
  });
  if (isOurs) return socket;
  socket.close();
  return undefined;
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
