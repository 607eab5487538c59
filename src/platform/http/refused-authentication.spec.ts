// The counter and the log of refused authentication, also when somebody tries to fill the log.
import { Registry } from 'prom-client';
import { beforeEach, expect, it } from 'vitest';
import { counter } from '../metric.js';
import { RefusedAuthentication } from './refused-authentication.js';

let elapsed: number;
let registry: Registry;
let lines: Record<string, unknown>[];
let trace: RefusedAuthentication<'key' | 'clock'>;

beforeEach(() => {
  elapsed = 5_000;
  registry = new Registry();
  lines = [];
  const clock = { elapsed: () => elapsed };
  const count = counter('refused_total{reason}', 'spec');
  registry.registerMetric(count);
  const warn = (fields: object): void => void lines.push({ ...fields });
  trace = new RefusedAuthentication({ count, log: { warn } as never, clock });
});

const from = (ip: string, headers = {}) => ({ ip, headers });

it('counts each by its reason, and logs the first of an address and each doubling', async () => {
  for (let each = 0; each < 9; each += 1) trace.refused('key', from('203.0.113.7'), { accessKey: 'k' });
  trace.refused('clock', from('203.0.113.7'));
  expect(await registry.getSingleMetricAsString('refused_total')).toMatch(
    /refused_total\{reason="key"\} 9\n.*\{reason="clock"\} 1/,
  );
  expect(lines.map(({ reason, refused }) => `${String(reason)} ${String(refused)}`)).toEqual([
    'key 1',
    'key 2',
    'key 4',
    'key 8',
    'clock 1',
  ]);
  expect(lines[0]).toEqual({
    reason: 'key',
    address: '203.0.113.7',
    accessKey: 'k',
    refused: 1,
    unlogged: 0,
  });
});

it('lets nobody fill the log from many addresses, and says how many had no line', () => {
  for (let each = 0; each < 5_000; each += 1) trace.refused('key', from(`198.51.100.${each}`));
  expect(lines).toHaveLength(20);
  elapsed += 10_000;
  trace.refused('key', from('203.0.113.9'));
  expect(lines.at(-1)).toMatchObject({ address: '203.0.113.9', unlogged: 4_980 });
});

it('cuts what a caller says about itself', () => {
  trace.refused('key', from('::1', { 'x-forwarded-for': '\u0000'.repeat(9_000) }), {
    accessKey: 'x'.repeat(9_000),
  });
  expect(lines[0]).toMatchObject({ forwardedFor: '\uFFFD'.repeat(200), accessKey: 'x'.repeat(200) });
});
