import { expect, it } from 'vitest';
import { resolvedState } from './resolution.js';

const NOW = Date.parse('2027-03-01T00:00:00Z');
const base = { mode: 'immediate', dueAt: NOW - 60_000, now: NOW, givenId: undefined, knownId: null } as const;
const ahead = { mode: 'reserved', dueAt: NOW + 60_000 } as const;

it.each([
  ['not sent', { resolution: 'confirmed-not-sent' }, 'failed'],
  ['not sent, a reservation that is not due', { resolution: 'confirmed-not-sent', ...ahead }, 'failed'],
  ['sent', {}, 'sent'],
  ['sent, as this request', { givenId: 'r-1' }, 'accepted'],
  ['sent, as a request that was known', { knownId: 'r-1' }, 'sent'],
  ['a reservation that is not due, without its id', ahead, undefined],
  ['a reservation that is not due, with its id', { ...ahead, givenId: 'r-1' }, 'reserved'],
  ['a reservation that is not due, whose id was known', { ...ahead, knownId: 'r-1' }, 'reserved'],
  ['a reservation that is due', { mode: 'reserved', dueAt: NOW }, 'sent'],
  ['a reservation that is due, with its id', { mode: 'reserved', dueAt: NOW, givenId: 'r-1' }, 'accepted'],
  ['a standing message, with its id', { mode: 'scheduled', dueAt: null, givenId: 'r-1' }, 'scheduled'],
] as const)('an operator says: %s', (_, facts, state) => {
  expect(resolvedState({ resolution: 'confirmed-sent', ...base, ...facts })).toBe(state);
});
