import { expect, it } from 'vitest';
import type { ReportedGroup } from './reported-group.js';
import { reasonsOf } from './reasons-of.js';

const group = (
  outcome: ReportedGroup['outcome'],
  reason: string | null,
  devices: number,
  country = 'KR',
): ReportedGroup => ({ device_type: 'GCM', country, language: 'ko', outcome, reason, devices });

it.each<[string, ReportedGroup[], string | null]>([
  ['nothing was lost', [group('sent', null, 3), group('answered', null, 1), group('named', null, 3)], null],
  ['nobody says why', [group('failed', null, 3), group('not-reported', 'GONE', 3)], null],
  ['one', [group('suppressed', 'NO_AD_AGREEMENT', 1)], 'NO_AD_AGREEMENT: 1 device'],
  [
    'the most frequent first, kinds of devices added up',
    [
      group('absent', 'UNKNOWN_ID', 3),
      group('suppressed', 'NO_AD_AGREEMENT', 2),
      group('suppressed', 'NO_AD_AGREEMENT', 2, 'US'),
    ],
    'NO_AD_AGREEMENT: 4 devices, UNKNOWN_ID: 3 ids',
  ],
  [
    'the five most frequent',
    ['A', 'B', 'C', 'D', 'E', 'F'].map((reason) => group('failed', reason, 2)),
    'A: 2 devices, B: 2 devices, C: 2 devices, D: 2 devices, E: 2 devices',
  ],
])('names %s', (_, groups, text) => {
  expect(reasonsOf(groups)).toBe(text);
});
