import { expect, it } from 'vitest';
import { EXTENSIONS, extensionsNamed } from './headers.js';

it.each([
  ['all of ours', EXTENSIONS.join(','), [...EXTENSIONS]],
  [
    'with spaces, in upper case and in any order',
    ' User-Timezones , idempotency-key',
    ['idempotency-key', 'user-timezones'],
  ],
  ['with names that nobody here knows', 'telepathy,result-breakdown', ['result-breakdown']],
  ['none', '', []],
])('the extensions that a gateway names: %s', (_, header, named) => {
  expect(extensionsNamed(header)).toEqual(named);
  expect(extensionsNamed(header)).toBe(extensionsNamed(header));
});
