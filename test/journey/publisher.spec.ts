// The publisher package and the examples as strangers use them: packed, installed into an empty folder, and run against a
// whole Carillon that idles. A language that is not there, or whose library cannot be had, is skipped with a line.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import type * as Publisher from '../../packages/publisher/src/index.js';
import { messageOf } from '../../src/platform/logging/error-code.js';
import { readEndpoints, type Endpoints } from '../../tools/endpoints.js';
import { ensureJars } from '../../tools/kafka/jars.js';
import { discardPostgres } from '../../tools/postgres.js';
import { projectRoot, stateRoot } from '../../tools/project.js';
import { buildPublisher, packPublisher } from '../../tools/publisher/build-publisher.js';
import { CuttingProxy } from '../support/peers/cutting-proxy.js';
import { eventuallyFound } from '../support/eventually.js';

const run = promisify(execFile);
const examples = join(projectRoot, 'examples', 'publish');
const scratch = await mkdtemp(join(tmpdir(), 'carillon publisher '));
/** A stranger's project. */
const shop = join(scratch, 'shop');
const state = join(scratch, 'demo');
let demo: ChildProcess;
let ended: Promise<unknown>;
let endpoints: Endpoints;
let installed: typeof Publisher;

beforeAll(async () => {
  const main = join(projectRoot, 'dist', 'tools', 'demo', 'main.js');
  demo = spawn(process.execPath, [main, '--idle', '--state', state], { stdio: 'ignore' });
  ended = new Promise((resolve) => demo.once('close', resolve));
  const up = eventuallyFound(() => readEndpoints(join(state, 'endpoints.json')), { withinMs: 270_000 });
  await install();
  endpoints = await up;
});
afterAll(async () => {
  demo.kill('SIGINT');
  await ended;
  await discardPostgres(join(state, 'postgres')).catch(() => undefined);
  await rm(scratch, { recursive: true, force: true });
});

async function install(): Promise<void> {
  await mkdir(shop);
  await writeFile(join(shop, 'package.json'), '{ "name": "shop", "private": true, "type": "module" }');
  const built = join(scratch, 'built');
  await buildPublisher(built);
  const tarball = await packPublisher(scratch, built);
  // kafkajs stands for itself; no registry is asked for anything.
  const args = ['install', '--offline', '--no-audit', '--no-fund', '--install-links', tarball];
  await run('npm', [...args, join(projectRoot, 'node_modules', 'kafkajs')], { cwd: shop });
  const entry = join(shop, 'node_modules', '@carillon', 'publisher', 'index.js');
  installed = (await import(entry)) as typeof Publisher;
}

const environment = (): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  CARILLON_URL: endpoints.schedulerUrl,
  CARILLON_TOKEN: endpoints.tokens.publisher,
  KAFKA_BROKERS: endpoints.kafkaBrokers.join(','),
});

/** What a program prints, with nothing of the test's own environment but PATH. */
async function printed(command: string, args: readonly string[]): Promise<string[]> {
  const { stdout } = await run(command, args, { cwd: shop, env: environment(), timeout: 120_000 });
  return stdout.trim().split('\n');
}

const tsc = join(projectRoot, 'node_modules', 'typescript', 'bin', 'tsc');
const types = join(projectRoot, 'node_modules', '@types');
const STRICT =
  '--target es2023 --lib es2023 --module nodenext --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --skipLibCheck false';
const COMPILER = [...STRICT.split(' '), '--types', 'node', '--typeRoots', types];

const http = (options: Publisher.HttpPublisherOptions = {}): Publisher.HttpPublisher =>
  new installed.HttpPublisher({
    url: endpoints.schedulerUrl,
    token: endpoints.tokens.publisher,
    ...options,
  });

/** Far ahead: nothing of it is sent while this runs. */
function later(campaignId: string, more: Partial<Publisher.ScheduledData> = {}): Publisher.ScheduledEvent {
  return new installed.CampaignEvents({ source: '/shop/promotions', serviceId: 'shop-app' }).scheduled(
    campaignId,
    {
      audience: installed.audience.users(['vip-seoul']),
      message: { default: { content: 'Hello' } },
      delivery: installed.delivery.at(new Date(Date.now() + 20 * 86_400_000)),
      policy: { handoff: 'hold' },
      ...more,
    },
  );
}

describe('the publisher package', () => {
  it('brings no dependency, its types, its licence and those of what is bundled', async () => {
    const folder = join(shop, 'node_modules');
    expect((await readdir(folder)).filter((name) => !name.startsWith('.'))).toEqual(['@carillon', 'kafkajs']);
    const files = await readdir(join(folder, '@carillon', 'publisher'));
    expect(files).toEqual(
      expect.arrayContaining(['LICENSE', 'README.md', 'THIRD-PARTY.md', 'index.d.ts', 'index.js']),
    );
    const bundle = await readFile(join(folder, '@carillon', 'publisher', 'index.js'), 'utf8');
    const imported = [...bundle.matchAll(/^import .* from "(.*)";$/gm)].map(([, name = '']) => name);
    expect(imported.filter((name) => !name.startsWith('node:'))).toEqual([]);
  });

  it('compiles a program of strict types, and refuses a member that nobody knows', async () => {
    for (const name of ['first-campaign.ts', 'kafka.ts']) await cp(join(examples, name), join(shop, name));
    const wrong = (await readFile(join(shop, 'first-campaign.ts'), 'utf8')).replace(
      '  audience:',
      '  // @ts-expect-error\n  audiense:',
    );
    expect(wrong).toContain('audiense');
    await writeFile(join(shop, 'wrong.ts'), wrong);
    // It also reports an error that was expected and is none.
    await run(process.execPath, [tsc, ...COMPILER, 'first-campaign.ts', 'kafka.ts', 'wrong.ts'], {
      cwd: shop,
    });
  });

  it('publishes over HTTP and follows the campaign to its end', async () => {
    expect((await printed(process.execPath, ['first-campaign.js'])).at(-1)).toBe('completed');
  });

  it('publishes over Kafka and reads the outcomes', async (context) => {
    needsKafka(context);
    expect((await printed(process.execPath, ['kafka.js'])).at(-1)).toBe('completed');
  });

  it('refuses with the words of the intake, before anything is sent and after', async () => {
    const wrong = {
      ...later('wrong words', { delivery: { at: '2027-03-01T09:00', zone: 'Asia/Soul' } }),
      time: '2020-01-01T00:00:00Z',
    };
    const problems = installed.checkEvent(wrong);
    expect(problems.map(({ code }) => code).toSorted()).toEqual([
      'TIME_TOO_OLD',
      'WRONG_FORMAT',
      'ZONE_UNKNOWN',
    ]);
    const here = await http()
      .publish(wrong)
      .catch((error: unknown) => error);
    const there = await http({ check: false })
      .publish(wrong)
      .catch((error: unknown) => error);
    const refusal = { code: 'EVENTS_REFUSED', message: expect.stringContaining('Asia/Seoul') as unknown };
    expect(here).toMatchObject({
      ...refusal,
      refused: [{ refusedBy: 'check', rejectionId: null, problems }],
    });
    expect(there).toMatchObject({
      ...refusal,
      refused: [{ refusedBy: 'intake', rejectionId: expect.any(String) as unknown, problems }],
    });
  });

  it('takes what is right of many, and says of each what became of it', async () => {
    const events = [later('many-1'), later('many-2', { serviceId: 'nobody-knows' }), later('many-3')];
    const refused = await http()
      .publish(events)
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(installed.EventsRefused);
    expect((refused as Publisher.EventsRefused).published.map(({ verdict }) => verdict)).toEqual([
      'accepted',
      'rejected',
      'accepted',
    ]);
  });

  it('cuts many into several requests, in order, and takes the same events again as duplicates', async () => {
    const events = Array.from({ length: 501 }, (_, index) => later(`cut-${index}`));
    const first = await http().publish(events);
    expect(first.map(({ event }) => event.subject)).toEqual(events.map(({ subject }) => subject));
    expect(new Set(first.map(({ verdict }) => verdict))).toEqual(new Set(['accepted']));
    const again = await http().publish(events.slice(0, 3));
    expect(again.map(({ verdict, campaignId }) => [verdict, campaignId])).toEqual(
      first.slice(0, 3).map(({ campaignId }) => ['duplicate', campaignId]),
    );
  });

  it('tries again where the answer is lost, and makes no second campaign of it', async () => {
    const proxy = await CuttingProxy.inFrontOf(endpoints.schedulerUrl);
    try {
      proxy.cutNext(['unanswered', 'before', 'during']);
      const taken = await http({ url: proxy.url }).publish(later('lost-answer'));
      expect(proxy.endCutting()).toEqual(['unanswered', 'before', 'during']);
      expect(taken.verdict).toBe('duplicate');
      const found = await fetch(
        new URL('/v1/campaigns?serviceId=shop-app&campaignId=lost-answer', endpoints.schedulerUrl),
        { headers: { authorization: `Bearer ${endpoints.tokens.publisher}` } },
      );
      expect(await found.json()).toMatchObject({ items: [{ id: taken.campaignId }] });
    } finally {
      await proxy.close();
    }
  });

  it('cancels, and says what is wrong with a token or an address', async () => {
    const taken = await http().publish(later('to-be-canceled'));
    const events = new installed.CampaignEvents({ source: '/shop/promotions', serviceId: 'shop-app' });
    await http().publish(events.canceled('to-be-canceled', { reason: 'the price is wrong' }));
    const states = [];
    for await (const campaign of http().follow(taken, { everyMs: 20 })) states.push(campaign.state);
    expect(states.at(-1)).toBe('canceled');
    const patient = { patienceMs: 300 };
    await expect(http({ ...patient, token: 'none' }).publish(later('no-token'))).rejects.toMatchObject({
      name: 'PublishError',
      details: { status: 401 },
    });
    await expect(
      http({ ...patient, url: 'http://127.0.0.1:1' }).publish(later('no-address')),
    ).rejects.toMatchObject({ code: 'UNREACHABLE' });
  });
});

describe('examples/publish', () => {
  it('by curl', async (context) => {
    const hasCurl = await run('curl', ['--version']).catch(() => undefined);
    if (hasCurl === undefined) skip(context, 'there is no curl');
    expect((await printed('sh', [join(examples, 'first-campaign.sh')])).at(-1)).toBe('completed');
  });

  it('in Python', async (context) => {
    needsKafka(context);
    const python = await pythonWithKafka().catch((error: unknown) =>
      skip(
        context,
        `Python with confluent-kafka cannot be had (${messageOf(error).trim().split('\n').at(-1)})`,
      ),
    );
    expect((await printed(python, [join(examples, 'first_campaign.py')])).at(-1)).toBe('completed');
  });

  it('in Java', async (context) => {
    needsKafka(context);
    const compiler = await run('javac', ['-version']).catch(() => undefined);
    if (compiler === undefined) skip(context, 'there is no JDK');
    const jars = await ensureJars({ env: process.env, say: () => undefined }).catch((error: unknown) =>
      skip(context, messageOf(error)),
    );
    const clients = jars.filter((jar) => /^(kafka-clients|slf4j-api|lz4|snappy|zstd)/.test(basename(jar)));
    const args = ['-XX:TieredStopAtLevel=1', '-cp', clients.join(':'), join(examples, 'FirstCampaign.java')];
    expect((await printed('java', args)).at(-1)).toBe('completed');
  });

  it('stand in the README and in the page about publishing as they are', async () => {
    const readme = await readFile(join(projectRoot, 'README.md'), 'utf8');
    const publish = await readFile(join(projectRoot, 'docs', 'use', 'publish.md'), 'utf8');
    const own = await readFile(join(projectRoot, 'packages', 'publisher', 'README.md'), 'utf8');
    for (const [page, name] of [
      [readme, 'first-campaign.ts'],
      [publish, 'first_campaign.py'],
      [own, 'first-campaign.ts'],
    ] as const) {
      const text = await readFile(join(examples, name), 'utf8');
      expect([name, page.includes(`\`\`\`${name.endsWith('.py') ? 'python' : 'ts'}\n${text}\`\`\``)]).toEqual(
        [name, true],
      );
    }
  });
});

function needsKafka(context: TestContext): void {
  if (endpoints.kafkaBrokers.length === 0) skip(context, 'there is no Kafka here');
}

function skip(context: TestContext, why: string): never {
  process.stdout.write(`skipped, ${why}: ${context.task.name}\n`);
  context.skip(why);
}

/** Of a virtual environment that stays in .carillon/; fetched once, and given up soon where no registry answers. */
async function pythonWithKafka(): Promise<string> {
  const folder = join(stateRoot, 'python-publisher');
  const python = join(folder, 'bin', 'python');
  if (existsSync(join(folder, 'ready'))) return python;
  await rm(folder, { recursive: true, force: true });
  await run('python3', ['-m', 'venv', folder]);
  const bounded = ['--quiet', '--retries', '1', '--timeout', '10', '--only-binary', ':all:'];
  await run(python, ['-m', 'pip', 'install', ...bounded, 'confluent-kafka==2.12.2'], { timeout: 60_000 });
  await writeFile(join(folder, 'ready'), '');
  return python;
}
