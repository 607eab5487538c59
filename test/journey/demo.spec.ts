// The demo as a newcomer runs it, twice at a time: once as it is, once with one expectation changed.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { discardPostgres } from '../../tools/postgres.js';
import { projectRoot } from '../../tools/project.js';

const scratch = mkdtempSync(join(tmpdir(), 'carillon demo '));
const states = ['as-it-is', 'changed'].map((name) => join(scratch, name));
afterAll(async () => {
  for (const state of states) await discardPostgres(join(state, 'postgres'));
  rmSync(scratch, { recursive: true, force: true });
});

async function demo(...args: string[]): Promise<{ code: number | null; output: string }> {
  const main = join(projectRoot, 'dist', 'tools', 'demo', 'main.js');
  const child = spawn(process.execPath, ['--enable-source-maps', main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, output: out + errors };
}

function examplesWithOneMistake(): string {
  const dir = join(scratch, 'examples');
  cpSync(join(projectRoot, 'examples'), dir, { recursive: true });
  const file = join(dir, '02-reserved-next-minute.expect.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('"target": 4', '"target": 5'));
  return dir;
}

describe('npm run demo -- --once', () => {
  const [asItIs = '', changed = ''] = states;
  const runs = Promise.all([
    demo('--once', '--state', asItIs),
    demo('--once', '--state', changed, '--examples', examplesWithOneMistake()),
  ]);

  it('ends with 0, every campaign as expected, the ledger balanced', async () => {
    const [{ code, output }] = await runs;
    expect(output).not.toContain('NOT');
    expect(output.match(/ as expected: /g)).toHaveLength(7);
    expect(output).toMatch(/the ledger balances over [1-9]\d* events and [1-9]\d* planned sends/);
    expect(code).toBe(0);
  }, 400_000);

  it('ends with 1 and names the member when one expectation is changed', async () => {
    const [, { code, output }] = await runs;
    const told = output.split('\n').filter((line) => line.includes('NOT as expected'));
    expect(told).toHaveLength(1);
    expect(told[0]).toContain('reserved-next-minute');
    expect(told[0]).toContain('devices target: expected 5, found 4');
    expect(code).toBe(1);
  }, 400_000);
});
