import { expect, it } from 'vitest';
import { LimitedDevices } from './limited-devices.js';

it('lets a device rest twice as long each time, up to ten minutes, until a push to it is accepted', () => {
  let elapsed = 0;
  const devices = new LimitedDevices({ elapsed: () => elapsed });
  const rests: number[] = [];
  for (let time = 0; time < 6; time += 1) {
    expect(devices.resting('a')).toBeUndefined();
    const restMs = devices.limited('a', 'TooManyRequests', 60_000, true);
    // Another that was open.
    expect(devices.limited('a', 'TooManyRequests', 60_000, true)).toBe(restMs);
    expect(devices.resting('a')?.outcome).toEqual({
      kind: 'retry',
      reason: 'TooManyRequests',
      afterMs: restMs,
    });
    expect(devices.resting('b')).toBeUndefined();
    rests.push(restMs / 60_000);
    elapsed += restMs;
  }
  expect(rests).toEqual([1, 2, 4, 8, 10, 10]);
  devices.taken('a');
  expect(devices.limited('a', 'TooManyRequests', 60_000, true)).toBe(60_000);
});

it('lets a device rest for as long as the provider says', () => {
  const devices = new LimitedDevices({ elapsed: () => 0 });
  for (const device of ['a', 'b'])
    expect(devices.limited(device, 'QUOTA_EXCEEDED', 7_000, false)).toBe(7_000);
});
