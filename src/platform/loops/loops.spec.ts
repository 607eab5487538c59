import { expect, it } from 'vitest';
import { pino } from 'pino';
import { eventually } from '../../../test/support/eventually.js';
import { Loops } from './loops.js';

it('runs as many rounds of a loop at once as it has workers, and wakes them together', async () => {
  const loops = new Loops(pino({ level: 'silent' }));
  const ends: (() => void)[] = [];
  let begun = 0;
  const runOnce = (): Promise<number> => {
    begun += 1;
    return new Promise((resolve) => ends.push(() => resolve(0)));
  };
  loops.add({ name: 'ask', runOnce, idleMs: 600_000, workers: 3 });
  expect(() => loops.add({ name: 'ask', runOnce, idleMs: 1 })).toThrow('two loops are named ask');
  expect(loops.status().map(({ name }) => name)).toEqual(['ask-1', 'ask-2', 'ask-3']);
  loops.start();
  await eventually(() => begun === 3);
  for (const end of ends.splice(0)) end();
  await eventually(() => loops.status().every(({ rests }) => rests));
  loops.wake('ask');
  await eventually(() => begun === 6);
  for (const end of ends.splice(0)) end();
  await loops.stop();
});
