// Both nights of a year on which the clocks of Auckland, Lord Howe, Paris and New York are moved, from the event to the devices: a
// whole scheduler and the real push service, whose clocks step through the year together.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TwoServices } from '../../support/scheduler/two-services.js';
import { DST_NIGHTS } from './dst-night-cases.js';
import { leadThroughDays, type Days } from './two-services-day.js';

let world: TwoServices;
let days: Days;

beforeAll(async () => {
  world = await TwoServices.open();
  days = await leadThroughDays(world, DST_NIGHTS);
}, 400_000);
afterAll(() => world.close());

it.each(DST_NIGHTS)('$what: every device gets it once, when its own clock says so', ({ what, gets }) => {
  const led = days.led.get(what);
  expect(led?.got).toEqual(gets);
  expect(led?.asked).toEqual(led?.foreseen);
});

it('asks the push service for nothing else', () => {
  expect(days.strangers).toEqual([]);
});

it('says in each plan what the night did to the time asked for', () => {
  const verdicts = DST_NIGHTS.map(({ what }) => {
    const items = days.led.get(what)?.previewed.items ?? [];
    return items.map(({ verdicts: found }) => found['dst']).filter((dst) => dst !== 'exact');
  });
  expect(verdicts.map((found) => found.length)).toEqual(DST_NIGHTS.map(() => 1));
  const kinds = verdicts.flat();
  for (const kind of ['moved-forward', 'first', 'second']) expect(kinds).toContain(kind);
});
