// The demo as a newcomer runs it, twice at a time: once as it is, once through peers of the providers, with one
// expectation changed.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { discardPostgres } from '../../tools/postgres.js';
import { projectRoot } from '../../tools/project.js';
import { eventually } from '../support/eventually.js';

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
    demo('--once', '--providers', '--state', changed, '--examples', examplesWithOneMistake()),
  ]);

  it('ends with 0, every campaign as expected, the ledger balanced', async () => {
    const [{ code, output }] = await runs;
    expect(output).not.toContain('NOT');
    expect(output.match(/ as expected: /g)).toHaveLength(7);
    expect(output).toMatch(/the ledger balances over [1-9]\d* events and [1-9]\d* planned sends/);
    expect(code).toBe(0);
  }, 400_000);

  it('hands the devices over through FCM and APNs with --providers, each as often as it says', async () => {
    const [, { output }] = await runs;
    const [, ...counts] =
      /FCM took (\d+) messages and APNs (\d+); sent, .*: (\d+) and (\d+)$/m.exec(output) ?? [];
    expect(counts.slice(0, 2)).toEqual(counts.slice(2));
    expect(counts.map(Number).every((count) => count > 0)).toBe(true);
    expect(counts).toHaveLength(4);
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

describe('npm run demo, interrupted while it starts', () => {
  /** Command lines of processes that work below `state`. */
  const left = (state: string): string[] =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => {
        try {
          return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')];
        } catch {
          // It ended meanwhile.
          return [];
        }
      })
      .filter((line) => line.includes(state));

  it('ends with 130, and leaves no process', async () => {
    const state = join(scratch, 'interrupted');
    states.push(state);
    const main = join(projectRoot, 'dist', 'tools', 'demo', 'main.js');
    const child = spawn(process.execPath, [main, '--idle', '--state', state], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => (said += piece));
    await eventually(() => said.includes('starting the push service'), { withinMs: 150_000 });
    expect(left(state).length).toBeGreaterThan(0);
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(said).not.toContain('up until Ctrl-C');
    expect(left(state)).toEqual([]);
  }, 240_000);
});
