import { expect, it } from 'vitest';
import { nineOn } from './other-clock.js';

const HOUR = 3_600;

it.each([
  ['Seoul, by Berlin', 9 * HOUR, 1 * HOUR, '01:00', 0],
  ['Paris in summer, by its winter', 2 * HOUR, 1 * HOUR, '08:00', 0],
  ['Kolkata, by UTC', 5.5 * HOUR, 0, '03:30', 0],
  ['UTC, by Kathmandu', 0, 5.75 * HOUR, '14:45', 0],
  ['Seoul, by New York', 9 * HOUR, -5 * HOUR, '19:00', -1],
  ['New York, by Auckland', -5 * HOUR, 13 * HOUR, '03:00', 1],
  ['UTC, by what is nine behind', 0, -9 * HOUR, '00:00', 0],
  ['UTC, by fifteen ahead', 0, 15 * HOUR, '00:00', 1],
])('nine in %s', (_, directory, registered, time, days) => {
  expect(nineOn(directory, registered)).toEqual({ time, days });
});
