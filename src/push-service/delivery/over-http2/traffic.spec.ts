import { expect, it } from 'vitest';
import { Traffic } from './traffic.js';

it('rests after some requests in a row without any answer, longer each time, until one is answered', () => {
  let elapsed = 0;
  const traffic = new Traffic({ clock: { elapsed: () => elapsed }, most: () => 100, unreachableMs: () => 0 });
  const silent = (times: number): void => {
    for (let time = 0; time < times; time += 1) {
      expect(traffic.takeTurn()).toBe(true);
      traffic.ended('silent');
    }
  };
  silent(3);
  expect(traffic.pauseMs).toBe(0);
  silent(1);
  expect(traffic.pauseMs).toBeGreaterThanOrEqual(2_000);
  expect([traffic.room, traffic.fault]).toEqual([0, undefined]);
  elapsed += 3_000;
  silent(1);
  expect(traffic.pauseMs).toBeGreaterThanOrEqual(4_000);
  elapsed += 5_000;
  expect(traffic.takeTurn()).toBe(true);
  traffic.ended('taken');
  silent(3);
  expect(traffic.pauseMs).toBe(0);
});

it('rests once for a connection that was cut with many open, however many', () => {
  let elapsed = 0;
  const traffic = new Traffic({ clock: { elapsed: () => elapsed }, most: () => 100, unreachableMs: () => 0 });
  traffic.takeTurn();
  traffic.ended('taken');
  for (const ms of [2_000, 4_000]) {
    const open = traffic.room;
    expect(open).toBeGreaterThan(20);
    for (let turn = 0; turn < open; turn += 1) traffic.takeTurn();
    for (let cut = 0; cut < open; cut += 1) traffic.ended('silent');
    expect(traffic.pauseMs).toBeGreaterThanOrEqual(ms);
    expect(traffic.pauseMs).toBeLessThan(ms * 1.2);
    elapsed += ms * 1.2;
  }
});
