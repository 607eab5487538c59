// An outage has two log lines; what works again at once has none. A caller learns whether it has to log the error itself.
import { expect, it } from 'vitest';
import { SystemClock } from './clock.js';
import { FaultLines } from './logging/fault-lines.js';
import { createLog, leaveOutagesTo } from './logging/log.js';
import { Outage } from './outage.js';

/** Answers of the next probes, in order; then it is there. */
function newOutage(answers: (string | undefined)[]) {
  const lines: { level: number; msg: string; failed?: number; err?: unknown }[] = [];
  const log = createLog('spec', 'info', {
    write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number]),
  });
  let probed = (): void => {};
  const outage = new Outage({
    name: 'spec',
    probe: () => {
      const reason = answers.shift();
      if (answers.length === 0) probed();
      return reason === undefined ? Promise.resolve() : Promise.reject(new Error(reason));
    },
    probes: 2,
    everyMs: 1,
    away: (reason) => `away (${reason})`,
    back: 'back',
    clock: new SystemClock(),
    log,
  });
  const allProbed = new Promise<void>((resolve) => (probed = resolve));
  return { lines, log, outage, allProbed };
}

it('says nothing where the second probe finds it', async () => {
  const { lines, outage } = newOutage(['refused', undefined]);
  expect(await Promise.all([outage.met(), outage.met()])).toEqual([false, false]);
  expect(lines).toEqual([]);
});

it('says once that it is away and once that it is back, however many meet it', async () => {
  const { lines, outage, allProbed } = newOutage(['refused', 'refused', 'refused', undefined]);
  expect(await Promise.all([outage.met(), outage.met(), outage.met()])).toEqual([true, true, true]);
  expect(outage.isAway).toBe(true);
  expect(await outage.met()).toBe(true);
  await allProbed;
  await expect.poll(() => outage.isAway).toBe(false);
  expect(lines).toMatchObject([
    { level: 50, msg: 'away (refused)' },
    { level: 40, msg: expect.stringMatching(/^back after 0\.\d s; 4 tries failed meanwhile$/), failed: 4 },
  ]);
});

it('leaves out the lines of others that hold an outage, and keeps those that hold a fault', async () => {
  const { lines, log } = newOutage([]);
  const away = new Error('away');
  leaveOutagesTo(log, (error) => (error === away ? Promise.resolve(true) : undefined));
  const loop = new FaultLines(log);
  for (let round = 0; round < 5; round += 1) await loop.failed(away, {}, 'the loop failed');
  loop.worked({}, 'works again');
  log.warn({ err: away }, 'a row waits');
  await Promise.resolve();
  expect(lines).toEqual([]);
  for (let round = 0; round < 5; round += 1)
    await loop.failed(new Error('a bug'), { round }, 'the loop failed');
  loop.worked({}, 'works again');
  expect(lines.map(({ msg }) => msg)).toEqual([
    'the loop failed',
    'the loop failed',
    'the loop failed',
    'works again',
  ]);
  expect(lines[0]?.err).toMatchObject({ message: 'a bug' });
});
