// What is remembered against what the runtime says, around changes of offset that lie on the hour and that do not.
import { IANAZone } from 'luxon';
import { expect, it } from 'vitest';
import { offsetMs } from './zone-offset.js';

const MINUTE_MS = 60_000;

it.each([
  ['Europe/Berlin', '2026-03-29T01:00:00Z'],
  ['America/New_York', '2026-11-01T06:00:00Z'],
  // Half an hour of daylight saving, at half past the UTC hour.
  ['Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
  // Changed at one minute past midnight, half an hour off the UTC hour.
  ['America/St_Johns', '2009-11-01T02:31:00Z'],
  ['Asia/Kathmandu', '2026-06-01T00:00:00Z'],
])('says what the runtime says of %s around %s, asked once and again', (zone, change) => {
  const rules = IANAZone.create(zone);
  const at = Date.parse(change);
  for (let minute = -150; minute <= 150; minute += 1) {
    for (const instant of [at + minute * MINUTE_MS, at + minute * MINUTE_MS - 1]) {
      const expected = rules.offset(instant) * MINUTE_MS;
      expect([offsetMs(zone, instant), offsetMs(zone, instant)]).toEqual([expected, expected]);
    }
  }
});
