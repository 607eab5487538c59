// Through PgBouncer, where it is installed: in session mode everything works as without it; in transaction mode the process
// says so and does no work.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NOBODY } from '../../../tools/postgres/binaries.js';
import { freePort } from '../../../tools/process/free-port.js';
import { eventually } from '../../support/eventually.js';
import { schedulerConfig, startScheduler } from '../../support/scheduler/running-scheduler.js';
import { Gateway } from '../../support/scheduler/gateway.js';
import { World } from '../../support/scheduler/world.js';

const isInstalled = spawnSync('pgbouncer', ['--version']).status === 0;
if (!isInstalled) process.stderr.write('pgbouncer is not installed: its specs are skipped\n');

describe.skipIf(!isInstalled)('a scheduler behind a pooler', () => {
  let world: World;
  let gateway: Gateway;
  let folder: string;
  beforeAll(async () => {
    world = await World.open();
    gateway = await Gateway.open();
    await world.project({ base_url: gateway.url });
    folder = await mkdtemp(join(tmpdir(), 'carillon-pooler-'));
    await chmod(folder, 0o755);
  });
  afterAll(async () => {
    await gateway.close();
    await world.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Its URL, and its end. */
  async function pooler(mode: string): Promise<{ url: string; stop: () => void }> {
    const { hostname, port: behind, username, password, pathname } = new URL(world.url);
    const port = await freePort();
    const settings = join(folder, `${mode}.ini`);
    const users = join(folder, 'users.txt');
    await writeFile(users, `"${username}" "${decodeURIComponent(password)}"\n`, { mode: 0o644 });
    await writeFile(
      settings,
      `[databases]\n* = host=${hostname} port=${behind}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\n` +
        `unix_socket_dir =\nauth_type = plain\nauth_file = ${users}\npool_mode = ${mode}\ndefault_pool_size = 30\n`,
    );
    const user = process.getuid?.() === 0 ? NOBODY : {};
    const child: ChildProcess = spawn('pgbouncer', [settings], { ...user, stdio: 'ignore' });
    await eventually(
      () =>
        new Promise<void>((resolve, reject) => {
          const socket = connect(port, '127.0.0.1', () => resolve(void socket.destroy())).once(
            'error',
            reject,
          );
        }),
    );
    return {
      url: `postgresql://${username}:${password}@127.0.0.1:${port}${pathname}`,
      stop: () => child.kill('SIGINT'),
    };
  }

  it('in session mode works as without it', async () => {
    const { url, stop } = await pooler('session');
    const scheduler = await startScheduler(
      schedulerConfig(url, { CARILLON_MASTER_KEY: world.masterKey, LOOP_IDLE_MS: '60000' }),
    );
    try {
      await eventually(async () => expect((await scheduler.call('GET', '/health/ready')).status).toBe(200));
      const send = await world.send({ dueAt: Date.now() });
      await world.dataSource.query("select pg_notify('carillon_dispatch', '')");
      await eventually(async () => expect(await world.read(send)).toMatchObject({ state: 'accepted' }));
    } finally {
      await scheduler.close();
      stop();
    }
  });

  it('in transaction mode is not ready, and does nothing', async () => {
    const { url, stop } = await pooler('transaction');
    const scheduler = await startScheduler(schedulerConfig(url, { CARILLON_MASTER_KEY: world.masterKey }));
    try {
      await eventually(async () => {
        const { checks } = await scheduler.internals.health.report();
        const { text } = checks.find(({ name }) => name === 'database') ?? {};
        expect(text).toContain('give it session mode');
      });
      expect((await scheduler.call('GET', '/health/ready')).status).toBe(503);
    } finally {
      await scheduler.close();
      stop();
    }
  });
});
