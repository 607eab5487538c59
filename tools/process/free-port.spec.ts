import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { freePort } from './free-port.js';

/** Of the dynamic ports, which freePort itself does not give: no other spec draws here. */
const GATES = Array.from({ length: 50 }, (_, index) => 64_000 + 20 * index);
let range: { lowest: number; highest: number };
let only: { lowest: number; highest: number };

/** Behind a gate that no run of another checkout has: whoever has it draws behind it alone. */
beforeAll(async () => {
  for (const gate of GATES) {
    const isOurs = await freePort({ lowest: gate, highest: gate }).catch(() => undefined);
    if (isOurs === undefined) continue;
    range = { lowest: gate + 1, highest: gate + 10 };
    only = { lowest: gate + 11, highest: gate + 11 };
    return;
  }
  throw new Error('every gate is taken');
});

const others: ChildProcess[] = [];
afterEach(() => {
  for (const other of others.splice(0)) other.kill('SIGKILL');
});

/** Another process that has drawn `count` ports of the range, and stays. */
async function otherWith(count: number): Promise<{ ports: number[]; process: ChildProcess }> {
  const drawing = new URL('../../test/support/runner/hold-ports.ts', import.meta.url);
  const other = fork(drawing, [String(count), JSON.stringify(range)], { execArgv: ['--import', 'tsx'] });
  others.push(other);
  const [ports] = (await once(other, 'message')) as [number[]];
  return { ports, process: other };
}

it('gives a port once, whoever draws, until the one who drew it has ended', async () => {
  const [one, two] = await Promise.all([otherWith(4), otherWith(3)]);
  const ours = [await freePort(range), await freePort(range), await freePort(range)];
  const drawn = [...one.ports, ...two.ports, ...ours];
  expect(new Set(drawn).size).toBe(10);
  await expect(freePort(range)).rejects.toThrow(
    `no port of 127.0.0.1 from ${range.lowest} to ${range.highest} is free`,
  );

  one.process.kill('SIGKILL');
  await once(one.process, 'exit');
  expect(one.ports).toContain(await freePort(range));
});

it('gives none that somebody listens on', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(only.lowest, '127.0.0.1', resolve));
  await expect(freePort(only)).rejects.toThrow('is free');
  await new Promise((resolve) => server.close(resolve));
  await expect(freePort(only)).resolves.toBe(only.lowest);
});
