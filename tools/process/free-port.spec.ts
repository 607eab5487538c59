import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { freePort } from './free-port.js';

/** Of the dynamic ports, which freePort itself does not give: no other spec draws here. */
const RANGE = { lowest: 64_210, highest: 64_219 };

const others: ChildProcess[] = [];
afterEach(() => {
  for (const other of others.splice(0)) other.kill('SIGKILL');
});

/** Another process that has drawn `count` ports of the range, and stays. */
async function otherWith(count: number): Promise<{ ports: number[]; process: ChildProcess }> {
  const drawing = new URL('../../test/support/hold-ports.ts', import.meta.url);
  const other = fork(drawing, [String(count), JSON.stringify(RANGE)], { execArgv: ['--import', 'tsx'] });
  others.push(other);
  const [ports] = (await once(other, 'message')) as [number[]];
  return { ports, process: other };
}

it('gives a port once, whoever draws, until the one who drew it has ended', async () => {
  const [one, two] = await Promise.all([otherWith(4), otherWith(3)]);
  const ours = [await freePort(RANGE), await freePort(RANGE), await freePort(RANGE)];
  const drawn = [...one.ports, ...two.ports, ...ours];
  expect(new Set(drawn).size).toBe(10);
  await expect(freePort(RANGE)).rejects.toThrow('no port of 127.0.0.1 from 64210 to 64219 is free');

  one.process.kill('SIGKILL');
  await once(one.process, 'exit');
  expect(one.ports).toContain(await freePort(RANGE));
});

it('gives none that somebody listens on', async () => {
  const only = { lowest: 64_220, highest: 64_220 };
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(only.lowest, '127.0.0.1', resolve));
  await expect(freePort(only)).rejects.toThrow('is free');
  await new Promise((resolve) => server.close(resolve));
  await expect(freePort(only)).resolves.toBe(only.lowest);
});
