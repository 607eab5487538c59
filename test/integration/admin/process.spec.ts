// The scheduler as a process of its own: how it starts, what it says when it cannot, and how it ends.
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { carillon, startCompiled, type RunningProgram } from '../../support/compiled.js';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually, eventuallyFound } from '../../support/eventually.js';

const MASTER_KEY = `k1:${randomBytes(32).toString('base64')}`;
let database: TestDatabase;
let env: Record<string, string>;

beforeAll(async () => {
  database = await cloneDatabase();
  env = {
    DATABASE_URL: database.url,
    CARILLON_MASTER_KEY: MASTER_KEY,
    SCHEDULER_PORT: '0',
    METRICS_PORT: '0',
  };
});

afterAll(async () => {
  await database.drop();
});

const start = (more: Record<string, string> = {}): RunningProgram =>
  startCompiled('scheduler/main.js', { env: { ...env, ...more } });

/** The addresses that its log line names once it is up. */
async function up(program: RunningProgram): Promise<{ url: string; metricsUrl: string }> {
  return eventuallyFound(
    () => {
      const line = program.stdout.split('\n').find((each) => each.includes('the scheduler is up'));
      return line === undefined ? undefined : (JSON.parse(line) as { url: string; metricsUrl: string });
    },
    { withinMs: 50_000 },
  );
}

describe.each([
  ['scheduler/main.js', 'scheduler'],
  ['push-service/main.js', 'push-service'],
])('%s', (program, name) => {
  it('prints with --help what it takes, and starts nothing', async () => {
    const { code, stdout } = await startCompiled(program, { args: ['--help'], env }).ended;
    expect([code, stdout.startsWith(`Usage: ${name} [options]\n`)]).toEqual([0, true]);
    expect(stdout).toContain('.env.example');
  });

  it.each([['--sandbx'], ['--port', '80'], ['-x'], ['serve']])('refuses %j %j', async (...args) => {
    const { code, stdout, stderr } = await startCompiled(program, { args, env }).ended;
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^error: (unknown option|too many arguments)/);
  });
});

describe.each(['cli/carillon.js', 'cli/carillon-push.js'])('%s', (program) => {
  it('refuses flags and words that it does not know, of each command', async () => {
    const help = async (...args: string[]) => startCompiled(program, { args: [...args, '--help'] }).ended;
    const commandsOf = async (...args: string[]): Promise<string[]> => {
      const { stdout } = await help(...args);
      return [...(stdout.split('Commands:')[1] ?? '').matchAll(/^  (\w[\w-]*)(?: |$)/gm)]
        .map(([, command]) => command ?? '')
        .filter((command) => command !== 'help');
    };
    for (const command of await commandsOf()) {
      const below = await commandsOf(command);
      for (const path of below.length === 0 ? [[command]] : below.map((one) => [command, one])) {
        const { code, stderr } = await startCompiled(program, { args: [...path, '--no-such-flag'] }).ended;
        expect([path, code, /unknown option|required option|missing required argument/.test(stderr)]).toEqual(
          [path, 2, true],
        );
      }
    }
  });
});

describe('a start that cannot be', () => {
  it('prints every fault of the configuration and ends with 2', async () => {
    const { code, stderr } = await startCompiled('scheduler/main.js', {
      env: {
        DATABASE_URL: 'mysql://u:hunter2@x/y',
        CARILLON_ROLES: 'cook',
        CARILLON_CLOCK: 'origin=x,rate=1',
      },
    }).ended;
    expect(code).toBe(2);
    for (const name of ['DATABASE_URL', 'CARILLON_MASTER_KEY', 'CARILLON_ROLES', 'CARILLON_CLOCK']) {
      expect(stderr).toContain(name);
    }
    expect(stderr).not.toContain('hunter2');
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it('says which port is taken and what to do, and ends with 1', async () => {
    const first = start();
    const { url, metricsUrl } = await up(first);
    try {
      const taken = [
        ['SCHEDULER_PORT', new URL(url).port],
        ['METRICS_PORT', new URL(metricsUrl).port],
      ] as const;
      for (const [knob, port] of taken) {
        const { code, stdout } = await start({ [knob]: port }).ended;
        expect([knob, code]).toEqual([knob, 1]);
        const lines = stdout.trim().split('\n');
        expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
          `port ${port} is taken: end what listens there, or set ${knob} (0 takes a free one)`,
        ]);
      }
    } finally {
      first.process.kill('SIGTERM');
    }
    expect((await first.ended).code).toBe(0);
  });
});

describe.each(['SIGTERM', 'SIGINT'] as const)('%s', (signal) => {
  it('lets the request in flight end, then ends with 0 within 15 s', async () => {
    const program = start();
    const { url } = await up(program);
    await eventually(async () => expect((await fetch(`${url}/health/ready`)).status).toBe(200));
    // A request that has begun: its body is still to come.
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let answer = '';
    socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
    await once(socket, 'connect');
    const args = [
      'tokens',
      'create',
      '--first',
      '--name',
      `drain-${signal}`,
      '--role',
      'admin',
      '--service',
      '*',
      '--json',
    ];
    const { token } = JSON.parse((await carillon(args, env)).stdout) as { token: string };
    const head = [
      'POST /v1/projects HTTP/1.1',
      'host: x',
      `authorization: Bearer ${token}`,
      'content-type: application/json',
      'content-length: 2',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n{`);
    // Another request after it shows that the first has been read.
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    program.process.kill(signal);
    await eventually(() => program.stdout.includes('draining'));
    socket.write('}');
    const { code, stdout } = await program.ended;
    expect(code).toBe(0);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(stdout).not.toContain('took too long');
    for (const line of stdout.trim().split('\n'))
      expect(JSON.parse(line)).toMatchObject({ name: 'scheduler' });
  });
});
