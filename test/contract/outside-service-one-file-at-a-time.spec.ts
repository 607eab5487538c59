// Against a service outside this process, every project runs one file at a time (vitest.config.ts). Reads the configuration as
// Vitest resolves it, flags of the command line included.
import { afterEach, expect, it, vi } from 'vitest';
import { createVitest } from 'vitest/node';
import { projectRoot } from '../../tools/project.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

async function workers(): Promise<Record<string, number>> {
  const vitest = await createVitest('test', { root: projectRoot, watch: false, run: false, maxWorkers: 4 });
  const found = vitest.projects.map(({ name, config }): [string, number] => [name, config.maxWorkers]);
  await vitest.close();
  return Object.fromEntries(found);
}

it('runs the files against a service outside one after the other, whatever number of workers is asked for', async () => {
  vi.stubEnv('CONFORMANCE_URL', 'http://127.0.0.1:9');
  expect(await workers()).toEqual({ now: 1, shared: 1, winter: 1, summer: 1 });
});

it('runs three at once otherwise', async () => {
  vi.stubEnv('CONFORMANCE_URL', undefined);
  expect(await workers()).toEqual({ now: 3, shared: 3, winter: 3, summer: 3 });
});
