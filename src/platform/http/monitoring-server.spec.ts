// The metrics and health, however often they are asked for.
import { setTimeout as wait } from 'node:timers/promises';
import { pino } from 'pino';
import { Gauge, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { MonitoringServer } from './monitoring-server.js';

it('collects once for all who ask at a time, and anew for the next', async () => {
  const registry = new Registry();
  let collected = 0;
  const gauge: Gauge = new Gauge({
    name: 'collected',
    help: 'how often',
    registers: [registry],
    collect: async () => {
      collected += 1;
      await wait(200);
      gauge.set(collected);
    },
  });
  const server = new MonitoringServer({
    registry,
    health: { report: () => Promise.resolve({ ready: true, checks: [] }) },
    log: pino({ level: 'silent' }),
  });
  const url = await server.listen('127.0.0.1', 0);
  try {
    const ask = async (): Promise<string> => (await fetch(url)).text();
    const texts = await Promise.all(Array.from({ length: 20 }, ask));
    expect([collected < 5, texts.every((text) => /^collected [1-4]$/m.test(text))]).toEqual([true, true]);
    const before = collected;
    expect(await ask()).toContain(`collected ${before + 1}`);
  } finally {
    await server.close();
  }
});
