import { describe, expect, it } from 'vitest';
import { csvCell, csvLine } from './csv.js';

describe('CSV', () => {
  it.each([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['', ''],
    [null, ''],
    [undefined, ''],
    [0, '0'],
    [-12.5, '-12.5'],
    [true, 'true'],
  ])('RFC 4180 writes %j as %j', (value, written) => {
    expect(csvCell(value)).toBe(written);
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['=09:00', "'=09:00"],
    ['@09:00', "'@09:00"],
    ['\t09:00', "'\t09:00"],
    ['\t=1', "'\t=1"],
    ['\r=1', '"\'\r=1"'],
    ['=A1,"x"', '"\'=A1,""x"""'],
  ])('makes text of what a spreadsheet would run: %j', (value, written) => {
    expect(csvCell(value)).toBe(written);
  });

  it.each(['+09:00', '-03:30', '+08:27:52'])('leaves %s, an offset, as it is', (offset) => {
    expect(csvCell(offset)).toBe(offset);
  });

  it('ends every line with CRLF', () => {
    expect(csvLine(['a', 1, null])).toBe('a,1,\r\n');
  });
});
