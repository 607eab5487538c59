import { describe, expect, it } from 'vitest';
import { requestKey } from './request-key.js';

const REVISION = { campaignId: 'spring', revision: 1 };
const PLACE = {
  occurrence: 'once',
  cell: 'Asia/Seoul|named|0|all|all',
  chunk: 0,
  retries: 0,
  released: null,
};
const KEY = requestKey('shop-app', REVISION, PLACE);

describe('the Idempotency-Key of a send', () => {
  it('is the same wherever it is made', () => {
    // printf '["shop-app","spring",1,"once","Asia/Seoul|named|0|all|all",0,0,0]' | sha256sum | cut -c1-32
    expect(KEY).toBe('c8301d0422b701c87170f0f09d490c05');
    expect(requestKey('shop-app', { ...REVISION }, { ...PLACE, released: 0 })).toBe(KEY);
  });

  it.each([
    ['another service', requestKey('shop', REVISION, PLACE)],
    ['another campaign', requestKey('shop-app', { ...REVISION, campaignId: 'autumn' }, PLACE)],
    ['another revision', requestKey('shop-app', { ...REVISION, revision: 2 }, PLACE)],
    ['another occurrence', requestKey('shop-app', REVISION, { ...PLACE, occurrence: '2027-03-01' })],
    ['another cell', requestKey('shop-app', REVISION, { ...PLACE, cell: 'UTC|named|0|all|all' })],
    ['another chunk', requestKey('shop-app', REVISION, { ...PLACE, chunk: 1 })],
    ['a retry', requestKey('shop-app', REVISION, { ...PLACE, retries: 1 })],
    ['a send that the push service gave back', requestKey('shop-app', REVISION, { ...PLACE, released: 1 })],
    // Parts that run into each other make no equal keys.
    [
      'names that only look the same together',
      requestKey('shop-app","spring', { ...REVISION, campaignId: '' }, PLACE),
    ],
  ])('differs for %s', (_, key) => {
    expect(key).toMatch(/^[0-9a-f]{32}$/);
    expect(key).not.toBe(KEY);
  });
});
