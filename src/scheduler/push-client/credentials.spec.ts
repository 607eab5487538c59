import { describe, expect, it } from 'vitest';
import { SteppedClock } from '../../platform/clock.js';
import { Secret } from '../../platform/env.js';
import { Credentials, type Credential } from './credentials.js';

const START = Date.parse('2027-03-01T00:00:00Z');
const key = (accessKey: string) => ({ accessKey, secretKey: new Secret(`secret of ${accessKey}`) });
const [FIRST, SECOND] = [key('first'), key('second')];
const SERVICE = 'shop-app';

function begun(keys = [FIRST, SECOND]) {
  const corrected: number[] = [];
  const credentials = new Credentials(new SteppedClock(START), (_, offsetMs) => corrected.push(offsetMs));
  const current = (): Credential => {
    const found = credentials.current(SERVICE, keys);
    if (found === undefined) throw new Error('there is no key');
    return found;
  };
  return {
    credentials,
    corrected,
    current,
    /** How far the clock of the answer's Date is ahead; undefined: it has no Date. */
    refused: (used: Credential, aheadMs?: number, signedAt = START + used.offsetMs) =>
      credentials.refused(SERVICE, keys, {
        used,
        signedAt,
        dateAt: aheadMs === undefined ? undefined : START + aheadMs,
      }),
    signsWith: () => [current().key.accessKey, current().offsetMs],
  };
}

describe('the credentials of a project', () => {
  it('are none without a key', () => {
    expect(new Credentials(new SteppedClock(START)).current(SERVICE, [])).toBeUndefined();
  });

  it.each([
    ['well behind', 1_200_000, ['first', 1_200_000]],
    ['well ahead', -1_200_000, ['first', -1_200_000]],
    ['just worth correcting', 30_000, ['first', 30_000]],
    ['right, but for the network', 29_999, ['second', 0]],
  ])('correct the clock first if it is %s, otherwise use the other key', (_, aheadMs, then) => {
    const { current, refused, signsWith } = begun();
    expect(refused(current(), aheadMs)).toBe('try-again');
    expect(signsWith()).toEqual(then);
  });

  it('report a corrected clock, with every good answer while it lasts, and its end', () => {
    const { credentials, corrected, current, refused } = begun();
    credentials.passed(SERVICE);
    expect(corrected).toEqual([]);
    refused(current(), 1_200_000);
    credentials.passed(SERVICE);
    credentials.passed(SERVICE);
    expect(corrected).toEqual([1_200_000, 1_200_000, 1_200_000]);
    // Our own clock is right again: requests signed by the other are refused, and the Date is ours except for the network's delay.
    refused(current(), 500);
    credentials.passed(SERVICE);
    expect(corrected.slice(3)).toEqual([0]);
    expect(current().offsetMs).toBe(0);
  });

  it('use the other key if an answer has no Date', () => {
    const { current, refused, signsWith } = begun();
    expect(refused(current())).toBe('try-again');
    expect(signsWith()).toEqual(['second', 0]);
  });

  it('are exhausted after the corrected clock and every key were refused, and begin anew then', () => {
    const { current, refused, signsWith } = begun();
    expect([refused(current(), 60_000), refused(current(), 60_000), refused(current(), 60_000)]).toEqual([
      'try-again',
      'try-again',
      'exhausted',
    ]);
    expect(signsWith()).toEqual(['first', 60_000]);
  });

  it('are also exhausted by a gateway whose Date differs each time', () => {
    const { current, refused } = begun();
    const said = Array.from({ length: 11 }, (_, index) => refused(current(), index * 60_000 + 60_000));
    expect(said.indexOf('exhausted')).toBe(9);
    expect(said.lastIndexOf('exhausted')).toBe(9);
  });

  it('do not change if our own clock was set while the request was in flight', () => {
    const { current, refused, signsWith } = begun([FIRST]);
    expect(refused(current(), 0, START - 600_000)).toBe('try-again');
    expect(signsWith()).toEqual(['first', 0]);
  });

  it('are exhausted at once with one key', () => {
    const { current, refused } = begun([FIRST]);
    expect(refused(current())).toBe('exhausted');
  });

  it('change once for many requests that were refused at once', () => {
    const { current, refused, signsWith } = begun();
    const used = current();
    expect([refused(used), refused(used), refused(used)]).toEqual(['try-again', 'try-again', 'try-again']);
    expect(signsWith()).toEqual(['second', 0]);
  });

  it('count only refusals in a row', () => {
    const { credentials, current, refused } = begun();
    refused(current());
    credentials.passed(SERVICE);
    expect(refused(current())).toBe('try-again');
  });

  it('begin with the first key after a rotation, and keep the clock', () => {
    const { credentials, current, refused } = begun();
    refused(current(), 60_000);
    refused(current(), 60_000);
    expect(credentials.current(SERVICE, [key('new'), FIRST])).toMatchObject({
      key: { accessKey: 'new' },
      offsetMs: 60_000,
    });
  });

  it('ignore a refusal of a key that has another secret now', () => {
    const keys = [FIRST];
    const { current, refused, signsWith } = begun(keys);
    const former = current();
    keys[0] = { ...FIRST, secretKey: new Secret('its new secret') };
    expect(refused(former)).toBe('try-again');
    expect(signsWith()).toEqual(['first', 0]);
  });

  it('are each project’s own', () => {
    const { credentials, current, refused } = begun();
    refused(current(), 60_000);
    expect(credentials.current('other-app', [FIRST])).toMatchObject({ offsetMs: 0 });
  });
});
