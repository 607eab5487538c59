// An outage passes by itself; a fault of a statement does not.
import { describe, expect, it } from 'vitest';
import { isDatabaseAway, isRefused } from './database-away.js';

const coded = (code: string): Error => Object.assign(new Error('x'), { code });

describe('isDatabaseAway', () => {
  it.each([
    '08006',
    '57P01',
    '57P03',
    '53300',
    '53100',
    'ECONNREFUSED',
    'ECONNRESET',
    'EAI_AGAIN',
    'ENETUNREACH',
  ])('is true of %s', (code) => expect(isDatabaseAway(coded(code))).toBe(true));

  it.each(['23505', '42P01', '22P02', '40001', '57014', 'ENOENT', 'FST_ERR_BAD_URL'])(
    'is false of %s',
    (code) => expect(isDatabaseAway(coded(code))).toBe(false),
  );

  it.each([
    'Driver not Connected',
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'timeout exceeded when trying to connect',
    'Query read timeout',
  ])('is true of "%s"', (text) => expect(isDatabaseAway(new Error(text))).toBe(true));

  it('looks at causes, and at all addresses that were tried', () => {
    expect(isDatabaseAway(new Error('no campaign was planned', { cause: coded('57P01') }))).toBe(true);
    expect(isDatabaseAway(new AggregateError([coded('ECONNREFUSED'), coded('ECONNREFUSED')]))).toBe(true);
    expect(isDatabaseAway(new Error('no campaign was planned'))).toBe(false);
    expect(isDatabaseAway('ECONNREFUSED')).toBe(false);
  });
});

describe('isRefused', () => {
  const said = (code: string): Error => Object.assign(coded(code), { severity: 'ERROR' });

  it.each(['22007', '22008', '23514', 'P0001', 'XX000'])('is true of %s, said by the server', (code) =>
    expect(isRefused(said(code))).toBe(true),
  );

  it.each(['42883', '57P01', '40P01', '57014'])('is false of %s: it is of no row, or passes', (code) =>
    expect(isRefused(said(code))).toBe(false),
  );

  it('is true of a value no statement can carry, and false where the server did not say it', () => {
    expect(isRefused(new RangeError('Invalid time value'))).toBe(true);
    expect(isRefused(coded('EPROTO'))).toBe(false);
    expect(isRefused(new Error('Connection error'))).toBe(false);
  });
});
