import { expect, it } from 'vitest';
import { aroundTheWorld, everywhere } from '../../../test/support/planning/around-the-world.js';
import { aPlan, cellIn } from '../../../test/support/planning/planning.js';
import { reasonsOf } from './plan-words.js';

it.each([
  ['forward', '2027-03-14 02:30 does not exist there: moved past the gap'],
  ['skip', '2027-03-14 02:30 does not exist there'],
] as const)('planning.md §4: next-day into a gap names the day that has the gap (%s)', (gap, words) => {
  const policy = { passedZone: { kind: 'next-day' }, dst: { gap, overlap: 'first' } } as const;
  const plan = aPlan(aroundTheWorld('2027-03-13T02:30', policy), '2027-03-13T17:00Z', {
    audience: everywhere,
  });
  const [dst, passed] = reasonsOf(cellIn(plan, 'America/New_York'), plan.policy);
  expect([dst, passed]).toEqual([words, '2027-03-13 02:30 was over there already: the next day']);
});
