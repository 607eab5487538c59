// A day on a fast clock, as somebody runs it who wants to see Carillon work: over a night on which clocks go back. It takes two
// minutes and a half, so `npm test` only looks at its arguments.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { discardPostgres } from '../../tools/postgres.js';
import { projectRoot } from '../../tools/project.js';

const LONG = process.env['CARILLON_TEST_LONG'] === '1';
const state = mkdtempSync(join(tmpdir(), 'carillon-day-'));
afterAll(async () => {
  await discardPostgres(join(state, 'postgres'));
  rmSync(state, { recursive: true, force: true });
});

async function demo(...args: string[]): Promise<{ code: number | null; output: string }> {
  const main = join(projectRoot, 'dist', 'tools', 'demo', 'main.js');
  const child = spawn(process.execPath, ['--enable-source-maps', main, ...args, '--state', state], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, output: out + errors };
}

describe('npm run demo -- --day', () => {
  it.each([
    [['--day', '2027-02-30'], '2027-02-30 is no date; give one as 2027-03-28'],
    [['--day', '2027-03-28', '2027-03-29'], 'only --day takes a date, and only one'],
    [['2027-03-28'], 'only --day takes a date, and only one'],
    [['--day', '--once'], 'exclude each other'],
    [['--day', '--providers'], '--day excludes --providers'],
  ])('refuses %j with 2', async (args, words) => {
    const { code, output } = await demo(...args);
    expect([code, output]).toEqual([2, expect.stringContaining(words)]);
  });

  it.runIf(LONG)(
    'ends with 0: every zone got what the plan said, on a night on which Paris has its hour twice',
    async () => {
      const { code, output } = await demo('--day', '2027-10-31');
      expect(output).not.toContain('NOT as planned');
      expect(output.match(/ as planned: /g)).toHaveLength(4);
      expect(output).toMatch(/Europe\/Paris .*shows the time asked for twice: the first counts/);
      expect(output).toMatch(/Europe\/Paris .*21:30 is night there: deferred/);
      expect(output).toMatch(/Asia\/Seoul .*skipped: 21:30 is over there/);
      expect(output).toMatch(/noon +Asia\/Kolkata +expired: LATE/);
      expect(output).toMatch(/noon +Europe\/Paris .*on 2 phones, 3\d min late/);
      expect(output).toContain('an operator approves it');
      expect(output).toContain('the ledger balances over 32 planned sends');
      expect(code).toBe(0);
    },
    600_000,
  );
});
