import { expect, it } from 'vitest';
import { isChanged, STREAM_EVENTS } from './changed-answers.ts';

const data = { campaign: 'one', token: 'set' };

it.each([
  ['campaign', ['campaigns', {}], true],
  ['campaign', ['campaign', 'one', 'plan', {}], true],
  ['campaign', ['campaign', 'other'], false],
  ['campaign', ['sends', { campaign: 'one' }], true],
  ['campaign', ['sends', { campaign: 'other' }], false],
  ['campaign', ['sends', { state: 'failed' }], true],
  ['campaign', ['send', 'any'], true],
  ['campaign', ['status'], false],
  ['attention', ['status'], true],
  ['attention', ['failures', {}], true],
  ['project', ['projects'], true],
  ['set', ['retries', 'set'], true],
  ['set', ['retries', 'other'], false],
  ['alert', ['status'], true],
  ['reset', ['rejections', {}], true],
] as const)('%s makes %j old: %s', (event, key, isOld) => {
  expect(isChanged(key, event, data)).toBe(isOld);
});

it('no event makes the session or an open sheet old', () => {
  for (const event of STREAM_EVENTS) {
    expect([isChanged(['session'], event, data), isChanged(['sheet', '1'], event, data)]).toEqual([
      false,
      false,
    ]);
  }
});
