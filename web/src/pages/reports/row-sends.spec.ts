// A figure of a report and the list it leads to ask the same question.
import { describe, expect, it } from 'vitest';
import { sendsOfRow } from './row-sends.ts';

const RANGE = { from: '2027-02-28T15:00:00.000Z', to: '2027-03-07T15:00:00.000Z' };

describe('sendsOfRow', () => {
  it.each([
    [
      { zone: 'Asia/Seoul', mode: 'reserved' },
      { ...RANGE, zone: 'Asia/Seoul', mode: 'reserved' },
    ],
    [{ project: 'shop-app' }, { ...RANGE, service: 'shop-app' }],
    [{ code: null }, { ...RANGE, code: 'none' }],
    [{ day: '2027-03-01' }, { from: '2027-03-01T00:00:00.000Z', to: '2027-03-02T00:00:00.000Z' }],
    [{ day: '2027-02-28' }, { from: RANGE.from, to: '2027-03-01T00:00:00.000Z' }],
    [{ day: '2027-03-07' }, { from: '2027-03-07T00:00:00.000Z', to: RANGE.to }],
    [
      { hour: '2027-03-01T09:00:00Z', zone: 'Asia/Seoul' },
      { from: '2027-03-01T09:00:00.000Z', to: '2027-03-01T10:00:00.000Z', zone: 'Asia/Seoul' },
    ],
  ])('%j', (key, sends) => {
    expect(sendsOfRow({ key }, {}, RANGE)).toEqual(sends);
  });

  it.each([[{ localHour: '09' }], [{ zone: 'Asia/Seoul', country: 'KR' }], [{ day: null }]])(
    'has no list for %j',
    (key) => {
      expect(sendsOfRow({ key }, {}, RANGE)).toBeUndefined();
    },
  );

  it('keeps the filters of the report', () => {
    expect(
      sendsOfRow({ key: { mode: 'immediate' } }, { service: 'shop-app', zone: 'Asia/Seoul' }, RANGE),
    ).toEqual({ ...RANGE, service: 'shop-app', zone: 'Asia/Seoul', mode: 'immediate' });
  });
});
