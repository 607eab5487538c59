import { describe, expect, it } from 'vitest';
import { exactMs, parseDuration } from './duration.js';

describe('parseDuration', () => {
  it.each(['', 'P', 'PT', 'P1DT', '1D', 'P1.5D', '-P1D', 'P-1D', 'PT-5M', 'one day', 'P0.5M'])(
    'refuses %j',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );
  it('keeps the calendar part apart, and an exact length only where there are no months', () => {
    expect(parseDuration('P1Y2M3W4DT5H6.5S')).toEqual({ months: 14, days: 25, ms: 18_006_500 });
    expect([exactMs({ months: 0, days: 1, ms: 5 }), exactMs({ months: 1, days: 0, ms: 0 })]).toEqual([
      86_400_005,
      undefined,
    ]);
  });
});
