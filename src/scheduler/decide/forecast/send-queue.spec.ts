import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backlogAt, lastDepartures, type Load } from './send-queue.js';

const NOW = 1_000_000;

/** Each request on its own: one instant takes turns, a request of each group. */
function oneByOne(loads: readonly Load[], ratePerSecond: number): number[] {
  const requests = loads.flatMap(({ requests: count, at }, group) =>
    Array.from({ length: count }, (_, chunk) => ({ group, chunk, at: Math.max(NOW, at), size: count })),
  );
  requests.sort((a, b) => a.at - b.at || a.chunk - b.chunk || a.size - b.size || a.group - b.group);
  const leaves = loads.map(({ at }) => Math.max(NOW, at));
  let freeAt = -Infinity;
  for (const { group, at } of requests) {
    const leavesAt = Math.max(at, freeAt);
    leaves[group] = Math.max(leaves[group] ?? 0, leavesAt);
    freeAt = leavesAt + 1_000 / ratePerSecond;
  }
  return leaves;
}

describe('the queue before a rate', () => {
  it.each<[string, [requests: number, inMs: number][], number, number[]]>([
    ['a single request leaves at its instant', [[1, 500]], 10, [500]],
    ['the last of ten leaves after nine waits', [[10, 0]], 10, [900]],
    ['work of the past waits since now', [[10, -60_000]], 10, [900]],
    [
      'what comes behind waits',
      [
        [10, 0],
        [1, 100],
      ],
      10,
      [900, 1_000],
    ],
    [
      'what comes after the queue is empty does not',
      [
        [10, 0],
        [1, 5_000],
      ],
      10,
      [900, 5_000],
    ],
    [
      'groups of one instant take turns: the small one is not behind the large one',
      [
        [100, 0],
        [1, 0],
      ],
      10,
      [10_000, 100],
    ],
    ['no load', [], 10, []],
  ])('%s', (_, given, rate, expected) => {
    const loads = given.map(([requests, inMs]) => ({ requests, at: NOW + inMs }));
    expect([...lastDepartures(loads, rate, NOW)].map((at) => Math.round(at - NOW))).toEqual(expected);
  });

  const load = fc.record({
    requests: fc.integer({ min: 1, max: 40 }),
    at: fc.integer({ min: -3, max: 12 }).map((step) => NOW + step * 700),
  });

  it('is that of single requests served in turn', () => {
    fc.assert(
      fc.property(fc.array(load, { maxLength: 12 }), fc.integer({ min: 1, max: 200 }), (loads, rate) => {
        const found = lastDepartures(loads, rate, NOW);
        const each = oneByOne(loads, rate);
        // Groups of one size and instant leave one behind the other; the rule gives all of them the last of these places.
        const apart = (loads.length * 1_000) / rate + 1;
        for (const [index, at] of found.entries()) {
          expect(at).toBeGreaterThanOrEqual((each[index] ?? 0) - 1);
          expect(at).toBeLessThanOrEqual((each[index] ?? 0) + apart);
        }
        expect(Math.max(0, ...found)).toBeCloseTo(Math.max(0, ...each), 3);
      }),
    );
  });

  it('lets nothing leave before its instant, and never later at a higher rate', () => {
    fc.assert(
      fc.property(
        fc.array(load, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 0, max: 100 }),
        (loads, rate, more) => {
          const [slow, fast] = [lastDepartures(loads, rate, NOW), lastDepartures(loads, rate + more, NOW)];
          for (const [index, { at }] of loads.entries()) {
            expect(slow[index]).toBeGreaterThanOrEqual(Math.max(NOW, at));
            expect(fast[index]).toBeLessThanOrEqual((slow[index] ?? 0) + 1e-6);
          }
        },
      ),
    );
  });
});

it.each<[string, [number, number][], number[], number[]]>([
  ['nothing waits at first', [[100, 0]], [0], [0]],
  [
    'a hundred at ten a second: ninety after one second, none after ten',
    [[100, 0]],
    [1_000, 10_000, 20_000],
    [90, 0, 0],
  ],
  [
    'what came meanwhile is added',
    [
      [100, 0],
      [50, 5_000],
    ],
    [5_000, 6_000],
    [50, 90],
  ],
  ['what was due before waits', [[100, -9_000]], [1_000], [90]],
])('the backlog: %s', (_, given, instants, expected) => {
  const loads = given.map(([requests, inMs]) => ({ requests, at: NOW + inMs }));
  const at = instants.map((inMs) => NOW + inMs);
  expect(backlogAt(loads, { ratePerSecond: 10, now: NOW }, at)).toEqual(expected);
});
