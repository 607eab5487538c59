import { pino } from 'pino';
import { expect, it } from 'vitest';
import { LongWaits, type LongWait } from './long-waits.js';

interface Line {
  readonly level: number;
  readonly serviceId: string;
  readonly kind: string;
  readonly reason: string;
}

const waitOf = (serviceId: string, more: Partial<LongWait> = {}): LongWait => ({
  credential: { id: `fcm of ${serviceId}`, version: 1, kind: 'fcm' },
  serviceId,
  reason: 'ECONNREFUSED',
  since: Date.parse('2027-03-01T00:00:00Z'),
  leftMs: 8_000,
  ...more,
});

it('logs a wait once when it has become long, and once at its end; says it in words meanwhile', () => {
  const lines: Line[] = [];
  let waits: LongWait[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Line) });
  const longWaits = new LongWaits(() => waits, log);
  const logged = (): unknown[] => {
    longWaits.logChanges();
    return lines.splice(0).map(({ level, serviceId, kind, reason }) => [level, kind, serviceId, reason]);
  };
  expect([logged(), longWaits.inWords()]).toEqual([[], undefined]);
  waits = [waitOf('shop')];
  expect(logged()).toEqual([[40, 'fcm', 'shop', 'ECONNREFUSED']]);
  waits = [waitOf('shop', { leftMs: 0 }), waitOf('other')];
  expect(logged()).toEqual([[40, 'fcm', 'other', 'ECONNREFUSED']]);
  expect(logged()).toEqual([]);
  expect(longWaits.inWords()).toBe(
    'fcm of shop: nothing is accepted since 2027-03-01T00:00:00.000Z (ECONNREFUSED), and devices wait; it is tried again now; ' +
      'fcm of other: nothing is accepted since 2027-03-01T00:00:00.000Z (ECONNREFUSED), and devices wait; it is tried again in 8 s',
  );
  waits = [waitOf('other')];
  expect(logged()).toEqual([[30, 'fcm', 'shop', 'ECONNREFUSED']]);
  waits = [];
  expect(logged()).toEqual([[30, 'fcm', 'other', 'ECONNREFUSED']]);
  expect([logged(), longWaits.inWords()]).toEqual([[], undefined]);
});

it('names twenty, and counts the others', () => {
  const waits = Array.from({ length: 23 }, (_, at) => waitOf(`s${at}`));
  const words = new LongWaits(() => waits, pino({ level: 'silent' })).inWords() ?? '';
  expect(words.match(/fcm of s\d+/g)).toHaveLength(20);
  expect(words).toMatch(/; and 3 more$/);
});
