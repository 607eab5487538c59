// npm run bench:dispatch — measures dispatch and follow against yardsticks in the same run; ends with 1 when one is
// missed. `-- --long` waits beside ten million rows; `-- --only=dispatch,follow,late,idle,held` and `-- --rounds=n` cut it short.
// `held` dispatches for `--minutes=n` [1] with a transaction left open, and as long without.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { startPostgres } from '../../tools/postgres.js';
import { report, type Finding } from '../measure.js';
import type { Bench } from './bench.js';
import { heldSnapshot } from './held-snapshot.js';
import { idleBesideProjects, latenessAndIdle } from './lateness.js';
import { startProgram } from './program.js';
import { dispatchThroughput, followThroughput } from './throughput.js';

// Compiled, this file lies in dist/bench/dispatch.
const root = fileURLToPath(new URL('../../../', import.meta.url));
const { values } = parseArgs({
  options: {
    long: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', default: 'dispatch,follow,late,idle,held' },
    minutes: { type: 'string', default: '1' },
  },
});
const only = new Set(values.only.split(','));

function installRivals(): void {
  const args = ['ci', '--no-audit', '--no-fund'];
  const npm = process.env['npm_execpath'];
  const [command, all] = npm === undefined ? ['npm', args] : [process.execPath, [npm, ...args]];
  const { status } = spawnSync(command, all, { cwd: join(root, 'bench'), stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('what the bench compares with could not be installed');
}

async function findings(bench: Bench): Promise<Finding[]> {
  const found: Finding[] = [];
  let perSecond = Number.NaN;
  if (only.has('dispatch') || only.has('late')) {
    const { findings: throughput, oursPerSecond } = await dispatchThroughput(bench, only.has('dispatch'));
    perSecond = oursPerSecond;
    found.push(...throughput);
  }
  if (only.has('follow')) found.push(...(await followThroughput(bench)));
  if (only.has('late')) found.push(...(await latenessAndIdle(bench, perSecond)));
  if (only.has('idle')) found.push(...(await idleBesideProjects(bench)));
  if (only.has('held')) found.push(...(await heldSnapshot(bench, Number(values.minutes))));
  return found;
}

if (only.has('dispatch')) installRivals();
const stateDir = mkdtempSync(join(tmpdir(), 'carillon-bench-'));
const postgres = await startPostgres({ stateDir });
const stub = startProgram(root, 'dist/bench/dispatch/stub.js');
try {
  const [version] = (await serverVersion()).split(' ');
  const load = (): string =>
    loadavg()
      .map((one) => one.toFixed(1))
      .join(' ');
  const before = load();
  const bench: Bench = {
    root,
    postgres,
    pushUrl: await stub.line(),
    rounds: Number(values.rounds),
    futureRows: values.long ? [1_000, 1_000_000, 10_000_000] : [1_000, 1_000_000],
    say: (words) => process.stderr.write(`${words}\n`),
  };
  const found = await findings(bench);
  const command = `npm run bench:dispatch${process.argv.length > 2 ? ` -- ${process.argv.slice(2).join(' ')}` : ''}`;
  const section = `## Dispatch and follow\n\n\`${command}\`; PostgreSQL ${version}, fsync and synchronous_commit on; load of the machine before and after: ${before}, ${load()}.`;
  if (!report(root, found, section)) process.exitCode = 1;
} finally {
  await stub.stop();
  await postgres.remove();
  rmSync(stateDir, { recursive: true, force: true });
}

async function serverVersion(): Promise<string> {
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  try {
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    return rows[0]?.server_version ?? '';
  } finally {
    await client.end();
  }
}
