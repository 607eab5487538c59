import { beforeEach, expect, it } from 'vitest';
import { SILENT_MS, Traffic } from './traffic.js';

let elapsed = 0;
beforeEach(() => (elapsed = 0));
const newTraffic = (): Traffic =>
  new Traffic({ clock: { elapsed: () => elapsed }, pool: { most: 100, restMs: 0 } });

function takeOne(traffic: Traffic): boolean {
  if (traffic.room === 0) return false;
  traffic.take();
  return true;
}

/** Takes all the room that there is; returns how much. */
function takeAll(traffic: Traffic): number {
  let taken = 0;
  while (takeOne(traffic)) taken += 1;
  return taken;
}

it('has one request at a time once nothing was answered for five seconds, until something is', () => {
  const traffic = newTraffic();
  expect([traffic.responsiveness, takeAll(traffic)]).toEqual(['untried', 1]);
  traffic.ended('taken');
  elapsed += 50;
  expect([traffic.responsiveness, takeAll(traffic)]).toEqual(['answering', 50]);
  elapsed += SILENT_MS - 1;
  expect(traffic.responsiveness).toBe('answering');
  elapsed += 1;
  expect([traffic.responsiveness, traffic.load.window]).toEqual(['silent', 1]);
  for (let request = 0; request < 49; request += 1) traffic.ended('unasked');
  elapsed += 1_000;
  expect([traffic.responsiveness, takeAll(traffic)]).toEqual(['silent', 0]);
  traffic.ended('unasked');
  expect([traffic.responsiveness, takeAll(traffic)]).toEqual(['silent', 1]);
  // An answer, though of a provider in trouble: it is not silent, and has to take one before it gets more.
  traffic.ended('busy');
  elapsed += 1_000;
  expect([traffic.responsiveness, takeAll(traffic)]).toEqual(['answering', 1]);
});

it('begins no more requests in a second than its window allows, however fast the answers are', () => {
  const traffic = newTraffic();
  let begun = 0;
  for (; elapsed < 1_000; elapsed += 1) {
    const turns = takeAll(traffic);
    begun += turns;
    for (let turn = 0; turn < turns; turn += 1) traffic.ended('none');
  }
  // A window of one: one each 50 ms.
  expect(begun).toBe(20);
});

it('backs off from a minute to ten, and from a minute again once a push was accepted after it', () => {
  const traffic = newTraffic();
  const rests: number[] = [];
  for (let time = 0; time < 6; time += 1) {
    expect(takeAll(traffic)).toBe(1);
    traffic.backOff(60_000);
    // Another that was open.
    traffic.backOff(60_000);
    traffic.ended('limited');
    rests.push(Math.floor(traffic.pauseMs / 60_000));
    elapsed += traffic.pauseMs;
  }
  expect(rests.slice(0, 4)).toEqual([1, 2, 4, 8]);
  expect(rests.slice(4).every((minutes) => minutes >= 10 && minutes <= 11)).toBe(true);
  takeAll(traffic);
  traffic.ended('taken');
  traffic.backOff(60_000);
  expect(Math.floor(traffic.pauseMs / 60_000)).toBe(1);
});

it('rests after some requests in a row without any answer, longer each time, until one is answered', () => {
  const traffic = newTraffic();
  const silent = (times: number): void => {
    for (let time = 0; time < times; time += 1) {
      elapsed += 50;
      expect(takeOne(traffic)).toBe(true);
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
  expect(takeOne(traffic)).toBe(true);
  traffic.ended('taken');
  silent(3);
  expect(traffic.pauseMs).toBe(0);
});

it('rests once for a connection that was cut with many open, however many', () => {
  const traffic = newTraffic();
  traffic.take();
  traffic.ended('taken');
  elapsed += 50;
  for (const ms of [2_000, 4_000]) {
    const open = traffic.room;
    expect(open).toBeGreaterThan(20);
    for (let turn = 0; turn < open; turn += 1) traffic.take();
    for (let cut = 0; cut < open; cut += 1) traffic.ended('silent');
    expect(traffic.pauseMs).toBeGreaterThanOrEqual(ms);
    expect(traffic.pauseMs).toBeLessThan(ms * 1.2);
    elapsed += ms * 1.2;
  }
});
