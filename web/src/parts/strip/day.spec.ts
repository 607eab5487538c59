import { expect, it } from 'vitest';
import { dayMarks, hourOf, quietSpans } from './day.ts';

it.each([
  ['09:00', 9],
  ['2027-03-01T09:30:00', 9.5],
  ['23:59:59', 23 + 59 / 60],
  ['soon', undefined],
])('%s is the hour %s', (text, hour) => {
  expect(hourOf(text)).toBe(hour);
});

it('quiet hours over midnight lie at both ends of the day', () => {
  expect(quietSpans('22:00', '07:00')).toEqual([
    { from: 0, to: 7 },
    { from: 22, to: 24 },
  ]);
  expect(quietSpans('12:00', '13:30')).toEqual([{ from: 12, to: 13.5 }]);
});

const DUE = '2027-03-01T00:00:00Z';

it('what was asked is marked where the due is another time, and the last where the pace moved it', () => {
  const cell = { asked: '2027-03-01T09:00', time: '09:00', dueAt: DUE, lastDueAt: DUE };
  expect(dayMarks(cell)).toEqual({ asked: undefined, due: 9, last: undefined });
  expect(dayMarks({ ...cell, time: '10:00' })).toMatchObject({ asked: 9, due: 10 });
  expect(dayMarks({ ...cell, lastDueAt: '2027-03-01T02:30:00Z' }).last).toBe(11.5);
  expect(dayMarks({ ...cell, lastDueAt: '2027-03-02T02:30:00Z' }).last).toBe(24);
});

it('a cell that does not leave keeps the mark of what was asked', () => {
  expect(dayMarks({ asked: '2027-03-01T09:00', time: '', dueAt: null, lastDueAt: null })).toEqual({
    asked: 9,
    due: undefined,
    last: undefined,
  });
});
