import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { reportTable, type ReportedCampaign } from './report-table.js';
import { Terminal } from './terminal.js';

function screen(columns?: number) {
  const written: string[] = [];
  return {
    written,
    write: (text: string) => written.push(text),
    ...(columns !== undefined && { isTTY: true, columns }),
  };
}
const at = (columns: number, env = {}): Terminal => new Terminal(screen(columns), env);

const campaigns: ReportedCampaign[] = [
  {
    campaignId: 'a-campaign-with-quite-a-long-name-of-its-own',
    state: 'completed',
    cells: ['Asia/Seoul', 'America/Argentina/ComodRivadavia'].map((zone) => ({
      zone,
      local: '2027-03-01 09:00:00',
      mode: 'reserved',
      sends: { planned: 3, sent: 1, failed: 1, uncertain: 1 },
      devices: { target: 123_456, sent: 123_455, failed: 1 },
      lateMs: 12_345,
      skipped: null,
    })),
  },
];
const linesOf = (table: string): string[] => stripVTControlCharacters(table).split('\n');
const lettersOf = (text: string): string => text.replaceAll(/\s/g, '').split('').toSorted().join('');

describe('the report as a table', () => {
  it.each([72, 80, 100, 200])('fits %i columns, and loses nothing', (columns) => {
    const lines = linesOf(reportTable(campaigns, at(columns)));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
    const wide = linesOf(reportTable(campaigns, at(500)));
    expect(wide).toHaveLength(4);
    expect(lettersOf(lines.join(''))).toBe(lettersOf(wide.join('')));
  });

  it('is as wide as it needs to be', () => {
    expect(linesOf(reportTable(campaigns, at(500)))[2]).toBe(
      'Asia/Seoul                        2027-03-01 09:00:00  reserved  1 sent, 1 failed, 1 uncertain  123456  123455       1      12.3 s',
    );
  });
});

describe('the terminal', () => {
  it('is 80 columns wide where there is none', () => {
    expect([new Terminal(screen(), {}).columns, at(132).columns]).toEqual([80, 132]);
  });

  it('has colours where there are some and nobody asked for none', () => {
    expect(at(80).paint('red', 'x')).toBe('\u001b[31mx\u001b[39m');
    for (const none of [at(80, { NO_COLOR: '1' }), at(80, { TERM: 'dumb' }), new Terminal(screen(), {})])
      expect(none.paint('red', 'x')).toBe('x');
    expect(at(80, { NO_COLOR: '' }).paint('red', 'x')).not.toBe('x');
  });

  it('keeps what it waits for in the last line, behind what is said meanwhile', () => {
    const shown = screen(40);
    const terminal = new Terminal(shown, { NO_COLOR: '1' });
    terminal.wait('waiting for a very long list of campaigns that have not ended');
    terminal.print('said');
    terminal.wait('');
    terminal.print('over');
    const text = shown.written.join('');
    expect(text.match(/waiting for/g)).toHaveLength(2);
    expect(stripVTControlCharacters(text)).toMatch(/waiting for.*\rsaid\n.*waiting for.*\rover\n$/s);
    expect(
      text.split('\n').every((line) => stripVTControlCharacters(line.split('\r').at(-1) ?? '').length < 40),
    ).toBe(true);
  });

  it('says now and then what it waits for where there is no terminal', () => {
    const shown = screen();
    let now = 0;
    const terminal = new Terminal(shown, {}, () => now);
    for (; now < 60_000; now += 500) terminal.wait('waiting');
    terminal.wait('');
    expect(shown.written).toHaveLength(4);
    expect(shown.written.every((line) => /^\d\d:\d\d:\d\d {2}waiting\n$/.test(line))).toBe(true);
  });
});
