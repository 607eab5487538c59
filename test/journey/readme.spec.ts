// The shell blocks of the README, and of the page for operators, as a newcomer pastes them, against a demo that idles:
// publish, read, retry. What they call must be on a minimal machine: a shell, curl, date and node.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readEndpoints } from '../../tools/endpoints.js';
import { discardPostgres } from '../../tools/postgres.js';
import { projectRoot } from '../../tools/project.js';
import { eventually, eventuallyFound } from '../support/eventually.js';

const run = promisify(execFile);
const state = mkdtempSync(join(tmpdir(), 'carillon readme '));
const endpointsFile = join(state, 'endpoints.json');
let demo: ChildProcess;
let said = '';
let ended: Promise<number | null>;

beforeAll(async () => {
  const main = join(projectRoot, 'dist', 'tools', 'demo', 'main.js');
  demo = spawn(process.execPath, [main, '--idle', '--state', state], { stdio: ['ignore', 'pipe', 'ignore'] });
  demo.stdout?.on('data', (piece: Buffer) => {
    said += piece.toString();
  });
  ended = new Promise((resolve) => demo.once('close', resolve));
  await eventuallyFound(() => readEndpoints(endpointsFile), { withinMs: 270_000, everyMs: 200 });
});
afterAll(async () => {
  demo.kill('SIGKILL');
  await ended;
  await discardPostgres(join(state, 'postgres')).catch(() => undefined);
  rmSync(state, { recursive: true, force: true });
});

const blocks = ['README.md', 'docs/operate/campaigns.md']
  .flatMap((page) => [...readFileSync(join(projectRoot, page), 'utf8').matchAll(/```sh\n([\s\S]*?)```/g)])
  .map(([, block = '']) => block.replaceAll('./.carillon/endpoints.json', endpointsFile));

/** The block that holds `word`, after the one that defines `endpoint`, with `<id>` or `<token>` filled in. */
async function paste(word: string, id = ''): Promise<string> {
  const define = blocks.find((block) => block.includes('endpoint()')) ?? '';
  const block = blocks.find((candidate) => candidate.includes(word) && candidate.includes('curl')) ?? '';
  expect(block).not.toBe('');
  const { stdout } = await run('sh', ['-ec', define + block.replaceAll(/<(?:id|token)>/g, id)], {
    cwd: projectRoot,
  });
  return stdout;
}

describe('the README', () => {
  it('publishes a campaign that reaches its device', async () => {
    expect(JSON.parse(await paste('/v1/events'))).toMatchObject({ events: [{ verdict: 'accepted' }] });
  });

  it('finds it again, and its report', async () => {
    const Found = z.object({ items: z.array(z.object({ id: z.string(), state: z.string() })).length(1) });
    const found = await eventually(async () => {
      // Two curls one after the other: the list, then the report, which is a problem for the empty id.
      const [list = ''] = (await paste('/v1/reports/')).split(/(?<=\})(?=\{)/);
      const { items } = Found.parse(JSON.parse(list));
      expect(items[0]?.state).toBe('completed');
      return items[0];
    });
    const [, report = ''] = (await paste('/v1/reports/', found?.id)).split(/(?<=\})(?=\{)/);
    expect(JSON.parse(report)).toMatchObject({
      final: true,
      balanced: true,
      totals: { devices: { sent: 2 } },
    });
  });

  it('previews retries of many, and confirms them', async () => {
    const answers = async (token?: string) =>
      (await paste('/v1/retries/preview', token))
        .split(/(?<=\})(?=\{)/)
        .map((text) => JSON.parse(text) as unknown);
    const [preview] = await answers();
    const { token } = z.object({ token: z.uuid() }).parse(preview);
    // Until it is ready, the confirmation says that it is not.
    await eventually(async () => {
      const [, read, confirmed] = await answers(token);
      expect(read).toMatchObject({ token, found: 0 });
      expect(confirmed).toMatchObject({ token, state: 'done', retried: 0 });
    });
  });

  it('says which of its parts has ended', async () => {
    const { pid } = z
      .object({ pid: z.number() })
      .parse(JSON.parse(readFileSync(join(state, 'push-service.pid.json'), 'utf8')));
    process.kill(pid, 'SIGKILL');
    await eventually(() =>
      expect(said).toMatch(/the push service has ended \(signal SIGKILL\).*push-service\.log/),
    );
  });

  it('ends on Ctrl-C with nothing to say of the parts that it ends itself, its endpoints gone with it', async () => {
    demo.kill('SIGINT');
    demo.kill('SIGINT');
    expect(await ended).toBe(0);
    expect(said.match(/has ended/g)).toHaveLength(1);
    expect(readEndpoints(endpointsFile)).toBeUndefined();
  });
});
