// What a scrape shows of a metric that is read, also where it cannot be read.
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { counter, gauge, readCounter } from './metric.js';

it('shows what was read last, and leaves out what cannot be read or is not there', async () => {
  const registry = new Registry();
  let isAway = false;
  const read = async () => {
    if (isAway) throw new Error('the database is away');
    return 3;
  };
  const metrics = [
    gauge('alone', 'a figure', read),
    gauge('of_each{kind}', 'figures', async () => [[await read(), { kind: 'a' }]]),
    gauge('never', 'none', () => undefined),
    readCounter('counted_total', 'a count', read),
    counter('own_total', 'a count'),
  ];
  for (const metric of metrics) registry.registerMetric(metric);
  const shown = async () =>
    (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  for (let scrape = 0; scrape < 2; scrape += 1)
    expect(await shown()).toEqual(['alone 3', 'of_each{kind="a"} 3', 'counted_total 3', 'own_total 0']);
  isAway = true;
  expect(await shown()).toEqual(['own_total 0']);
});
