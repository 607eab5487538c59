import { expect, it } from 'vitest';
import { compareClocks } from './compare-clocks.js';

const others = (...ahead: readonly number[]) =>
  ahead.map((aheadMs, index) => ({ machine: `m-${index}`, aheadMs }));

it.each([
  [0, [], 'right'],
  [1_000, [], 'right'],
  [-999, [5_000, 5_000], 'right'],
  // One machine and the database.
  [3_000, [], 'unclear'],
  // One other agrees with this one, and the database with nobody.
  [3_000, [3_400], 'database-wrong'],
  [-1_500, [-1_500, -1_600], 'database-wrong'],
  [3_000, [0], 'machine-wrong'],
  [3_000, [0, 3_000], 'machine-wrong'],
  [3_000, [0, 3_000, 3_000], 'database-wrong'],
  [3_000, [-3_000], 'unclear'],
  [3_000, [9_000, -9_000, 3_000], 'database-wrong'],
  [3_000, [9_000, 9_000], 'unclear'],
] as const)('%i ms ahead of the database, others %j: %s', (aheadMs, ahead, kind) => {
  expect(compareClocks({ machine: 'own', aheadMs }, others(...ahead)).kind).toBe(kind);
});

it('counts the processes of one machine once, and none of its own', () => {
  const own = { machine: 'own', aheadMs: 3_000 };
  expect(compareClocks(own, [own, own]).kind).toBe('unclear');
  const one = { machine: 'other', aheadMs: 0 };
  const two = { machine: 'third', aheadMs: 0 };
  expect(compareClocks(own, [one, one, two]).kind).toBe('machine-wrong');
  expect(compareClocks(own, [own, { ...one, aheadMs: 3_000 }])).toEqual({ kind: 'database-wrong', agree: 1 });
});
