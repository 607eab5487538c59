// The demo as a newcomer runs it, twice at a time: once as it is, and once through peers of the providers, with one
// expectation changed; that one stays up until its totals were compared in every way of reading them.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { discardPostgres } from '../../tools/postgres.js';
import { projectRoot } from '../../tools/project.js';
import { readEndpoints } from '../../tools/endpoints.js';
import { eventually } from '../support/eventually.js';
import { sumOfFigures } from '../support/scheduler/report-figures.js';
import { DemoTotals } from './demo-totals.js';

const scratch = mkdtempSync(join(tmpdir(), 'carillon demo '));
const states = ['as-it-is', 'changed'].map((name) => join(scratch, name));
afterAll(async () => {
  for (const state of states) await discardPostgres(join(state, 'postgres'));
  rmSync(scratch, { recursive: true, force: true });
});

const UP = 'up until Ctrl-C';

interface Demo {
  /** Resolves once it is up and has run its campaigns, or has ended. */
  readonly up: Promise<void>;
  readonly ended: Promise<{ code: number | null; output: string }>;
  stop(): void;
}

function demo(...args: string[]): Demo {
  const main = join(projectRoot, 'dist', 'tools', 'demo', 'main.js');
  const child = spawn(process.execPath, ['--enable-source-maps', main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  let said = '';
  const up = new Promise<void>((resolve) => {
    void code.then(() => resolve());
    child.stdout.on('data', (piece: Buffer) => {
      said += piece.toString();
      if (said.includes(UP)) resolve();
    });
  });
  const ended = (async () => {
    const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await code, output: out + errors };
  })();
  return { up, ended, stop: () => child.kill('SIGINT') };
}

function examplesWithOneMistake(): string {
  const dir = join(scratch, 'examples');
  cpSync(join(projectRoot, 'examples'), dir, { recursive: true });
  const file = join(dir, '02-reserved-next-minute.expect.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('"target": 4', '"target": 5'));
  return dir;
}

describe('npm run demo', () => {
  const [asItIs = '', changed = ''] = states;
  const once = demo('--once', '--state', asItIs);
  const staying = demo('--providers', '--state', changed, '--examples', examplesWithOneMistake());

  it('with --once ends with 0, every campaign as expected, the ledger balanced', async () => {
    const { code, output } = await once.ended;
    // A word: the name of a temporary folder may hold the letters.
    expect(output).not.toMatch(/\bNOT\b/);
    expect(output.match(/ as expected: /g)).toHaveLength(7);
    expect(output).toMatch(/the ledger balances over [1-9]\d* events and [1-9]\d* planned sends/);
    expect(code).toBe(0);
  }, 400_000);

  it('has the same totals in JSON, CSV, summary, views and ledger, which are what the push service handed to devices', async () => {
    await staying.up;
    const endpoints = readEndpoints(join(changed, 'endpoints.json'));
    if (endpoints === undefined) throw new Error(`it is not up: ${(await staying.ended).output}`);
    const read = new DemoTotals(endpoints);
    const campaigns = await read.campaigns();
    expect(campaigns).toHaveLength(7);
    for (const { isWhole, totals, ways, delivered } of campaigns) {
      expect(isWhole).toBe(true);
      expect(ways).toEqual(Object.fromEntries(Object.keys(ways).map((way) => [way, totals])));
      expect(delivered).toBe(totals['devices.sent'] ?? 0);
    }
    const whole = sumOfFigures(campaigns.map(({ totals }) => totals));
    expect(whole['devices.sent']).toBeGreaterThan(0);
    expect(await read.summary()).toEqual(whole);
    expect(await read.ledger()).toEqual(whole);

    const { agrees, projects } = await read.pushServices();
    expect(agrees).toBe(true);
    for (const { ours, theirs, differs, open, requests, taken, delivered } of projects) {
      expect([ours, differs, open]).toEqual([theirs, [], []]);
      expect([taken, theirs.messages, theirs.final]).toEqual([requests, requests, requests]);
      expect(delivered).toBe(theirs.sent);
      expect(theirs.target).toBe(theirs.sent + theirs.failed);
    }
    expect(projects.reduce((sum, { theirs }) => sum + theirs.messages, 0)).toBeGreaterThan(7);
  }, 400_000);

  it('has a ledger that ends with 1 once we count a device that the push service never had', async () => {
    await staying.up;
    const endpoints = readEndpoints(join(changed, 'endpoints.json'));
    if (endpoints === undefined) throw new Error('it is not up');
    const read = new DemoTotals(endpoints);
    expect(await read.command()).toMatchObject({ code: 0, stderr: '' });
    // In its row and in the sums: otherwise the ledger of the scheduler alone would not balance.
    const which = '(select min(id::text)::uuid from send where sent_count > 0)';
    await read.query(
      `update send_rollup set sent = sent + 1, target = target + 1 where ctid = (
         select r.ctid from send_rollup r join send s using (campaign, occurrence, cell, state) where s.id = ${which} limit 1)`,
    );
    await read.query(
      `update send set sent_count = sent_count + 1, target_count = target_count + 1 where id = ${which}`,
    );
    const { code, stdout } = await read.command();
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/^balanced\n[^]*: DIFFERS\n[^]* sent \d+ here, \d+ there$/m),
    ]);
  }, 400_000);

  it('does not start beside one that is up there, and ends although its peers of the providers listen', async () => {
    await staying.up;
    const { code, output } = await demo('--providers', '--state', changed).ended;
    expect([code, output]).toEqual([1, expect.stringContaining('a demo is running here already')]);
  }, 400_000);

  it('hands the devices over through FCM and APNs with --providers, each as often as it says', async () => {
    staying.stop();
    const { output } = await staying.ended;
    const [, ...counts] =
      /FCM took (\d+) messages and APNs (\d+); sent, .*: (\d+) and (\d+)$/m.exec(output) ?? [];
    expect(counts.slice(0, 2)).toEqual(counts.slice(2));
    expect(counts.map(Number).every((count) => count > 0)).toBe(true);
    expect(counts).toHaveLength(4);
  }, 400_000);

  it('stays up until Ctrl-C, and ends with 1 and names the member when one expectation is changed', async () => {
    const { code, output } = await staying.ended;
    expect(output).toContain(UP);
    const failed = output.split('\n').filter((line) => line.includes('NOT as expected'));
    expect(failed).toHaveLength(1);
    expect(failed[0]).toContain('reserved-next-minute');
    expect(failed[0]).toContain('devices target: expected 5, found 4');
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
