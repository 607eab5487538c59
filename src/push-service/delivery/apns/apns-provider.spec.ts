// The apns-id of a push: it stays the same from release to release, whichever process sends the push. Vectors by
// `printf '71 2' | sha256sum`, with version and variant put in by hand.
import { expect, it } from 'vitest';
import { apnsId } from './apns-provider.js';

it.each([
  ['1', '5102d32a-a48d-8922-a14a-2c2f39aa1b4a'],
  ['2', 'ebe9f55a-75c4-8091-a7b8-d9d1fd50a5a8'],
  ['4', '0f8cc3b3-dde5-85c3-9159-2aff9a1c8cb3'],
])('firing 71 and device %s have the apns-id %s', (deviceId, id) => {
  expect(apnsId('71', deviceId)).toBe(id);
});
