import { describe, expect, it } from 'vitest';
import { cityOf, offsetMinutes, offsetText, readingFor, readingOn } from './reading.ts';

const at = Date.parse('2027-03-01T00:00:05Z');
const now = Date.parse('2027-02-01T00:00:00Z');
const options = { locale: 'en-GB', now };

describe('an instant on a clock', () => {
  it.each([
    ['Asia/Seoul', '+09:00', 'Mon 1 Mar 09:00', 'Seoul +09:00'],
    ['America/St_Johns', '-03:30', 'Sun 28 Feb 20:30', 'St Johns −03:30'],
    ['Pacific/Kiritimati', '+14:00', 'Mon 1 Mar 14:00', 'Kiritimati +14:00'],
    ['UTC', 'Z', 'Mon 1 Mar 00:00', 'UTC'],
  ])('of a recipient in %s goes by the offset that the server tells', (zone, offset, text, named) => {
    expect(readingOn('recipient', at, { recipient: { zone, offset } }, options)).toEqual({
      clock: 'recipient',
      text,
      zone: named,
    });
  });

  it('has the year where it is another than now', () => {
    expect(readingOn('utc', at, {}, { ...options, now: Date.parse('2026-12-31T00:00:00Z') })?.text).toBe(
      'Mon 1 Mar 2027 00:00',
    );
  });

  it('has seconds where they are asked for', () => {
    expect(readingOn('utc', at, {}, { ...options, seconds: true })?.text).toBe('Mon 1 Mar 00:00:05');
  });

  it('that nobody told is not made up: it is shown on mine', () => {
    expect(readingOn('recipient', at, {}, options)).toBeUndefined();
    expect(readingOn('campaign', at, { campaign: { zone: 'X', offset: 'noon' } }, options)).toBeUndefined();
    expect(readingFor('recipient', at, {}, options).clock).toBe('mine');
  });
});

it.each([
  ['+09:00', 540],
  ['-03:30', -210],
  ['Z', 0],
  ['9', undefined],
])('the offset %s has %s minutes', (text, minutes) => {
  expect(offsetMinutes(text)).toBe(minutes);
});

it('an offset is written with a true minus', () => {
  expect([offsetText(-210), offsetText(0), offsetText(840)]).toEqual(['−03:30', '+00:00', '+14:00']);
});

it('a zone is named by its city', () => {
  expect(['Asia/Seoul', 'America/Argentina/Buenos_Aires', 'UTC'].map(cityOf)).toEqual([
    'Seoul',
    'Buenos Aires',
    'UTC',
  ]);
});
