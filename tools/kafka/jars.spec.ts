import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ensureJars, NoJarsError } from './jars.js';

/** A repository of the real jars, which can spoil one of them on demand. */
let repository: Server;
let base: string;
let requested: string[];
let spoiled: string | undefined;
let broken: boolean;
let authorizations: (string | undefined)[];
let folder: string;
let env: Record<string, string>;
const said: string[] = [];
const say = (sentence: string): void => void said.push(sentence);

beforeAll(async () => {
  const jars = await ensureJars({ env: process.env, say });
  const byName = new Map(jars.map((jar) => [basename(jar), jar]));
  repository = createServer((request, response) => {
    const name = basename(request.url ?? '');
    requested.push(name);
    authorizations.push(request.headers.authorization);
    const jar = byName.get(name);
    if (jar === undefined || broken) response.writeHead(503).end();
    else response.end(name === spoiled ? 'not a jar' : readFileSync(jar));
  }).listen(0, '127.0.0.1');
  await once(repository, 'listening');
  base = `http://127.0.0.1:${(repository.address() as AddressInfo).port}/maven2/`;
  folder = mkdtempSync(join(tmpdir(), 'carillon jars '));
  // Without Maven: an empty folder is all that the PATH names.
  mkdirSync(join(folder, 'nothing'));
});
afterAll(() => {
  repository.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  requested = [];
  spoiled = undefined;
  broken = false;
  authorizations = [];
  said.length = 0;
  env = { PATH: join(folder, 'nothing'), MAVEN_CENTRAL_URL: base, XDG_CACHE_HOME: join(folder, 'cache') };
});

it('fetches all jars once, and nothing any more while their sums are right', async () => {
  const jars = await ensureJars({ env, say });
  expect(new Set(requested)).toEqual(new Set(jars.map((jar) => basename(jar))));
  expect(jars).toHaveLength(46);
  expect(said).toEqual([expect.stringMatching(/^fetching Apache Kafka 4\.3\.1: 46 jars, \d+ MB/)]);

  requested = [];
  expect(await ensureJars({ env: { ...env, MAVEN_CENTRAL_URL: '' }, say })).toEqual(jars);
  expect(requested).toEqual([]);
});

it('fetches each jar once where several want them at the same time', async () => {
  const fresh = { ...env, XDG_CACHE_HOME: join(folder, 'at once') };
  const both = await Promise.all([ensureJars({ env: fresh, say }), ensureJars({ env: fresh, say })]);
  expect(both[0]).toEqual(both[1]);
  expect(requested).toHaveLength(46);
  expect(said.toSorted()).toEqual([
    expect.stringMatching(/^fetching Apache Kafka/),
    `process ${process.pid} is fetching Apache Kafka; waiting for it`,
  ]);
  expect(readdirSync(join(folder, 'at once', 'carillon', 'kafka-4.3.1'))).toHaveLength(46);
});

it('fetches a jar again whose sum is wrong, and no other', async () => {
  const [first = ''] = await ensureJars({ env, say });
  const good = readFileSync(first);
  writeFileSync(first, 'half a j');
  requested = [];
  await ensureJars({ env, say });
  expect(requested).toEqual([basename(first)]);
  expect(readFileSync(first).equals(good)).toBe(true);
});

it('keeps nothing that came with a wrong sum', async () => {
  const [first = ''] = await ensureJars({ env, say });
  rmSync(first);
  spoiled = basename(first);
  await expect(ensureJars({ env, say })).rejects.toThrow(
    /came with sha256 [0-9a-f]{64} instead of [0-9a-f]{64}/,
  );
  expect(readdirSync(join(folder, 'cache', 'carillon', 'kafka-4.3.1'))).not.toContain(spoiled);
});

it('says what to do when it knows no repository', async () => {
  const lacking = ensureJars({
    env: { ...env, MAVEN_CENTRAL_URL: '', XDG_CACHE_HOME: join(folder, 'empty') },
    say,
  });
  await expect(lacking).rejects.toThrow(NoJarsError);
  await expect(lacking).rejects.toThrow(/Maven is not installed.*Set MAVEN_CENTRAL_URL .* or install Maven/);
});

it('says what to do when the jars cannot be kept', async () => {
  writeFileSync(join(folder, 'a file'), '');
  const refused = ensureJars({ env: { ...env, XDG_CACHE_HOME: join(folder, 'a file') }, say });
  await expect(refused).rejects.toThrow(/cannot be kept in .*a file.*; set XDG_CACHE_HOME/);
});

it('sends the user and password of the address, and says neither when it fails', async () => {
  const withPassword = base.replace('http://', 'http://me:h%C3%BCsh@');
  await ensureJars({
    env: { ...env, MAVEN_CENTRAL_URL: withPassword, XDG_CACHE_HOME: join(folder, 'mine') },
    say,
  });
  expect(new Set(authorizations)).toEqual(new Set([`Basic ${Buffer.from('me:hüsh').toString('base64')}`]));

  const wrong = {
    ...env,
    MAVEN_CENTRAL_URL: `${withPassword}nowhere`,
    XDG_CACHE_HOME: join(folder, 'unreached'),
  };
  broken = true;
  const failure = await ensureJars({ env: wrong, say }).catch((error: unknown) => String(error));
  expect(failure).toMatch(/127\.0\.0\.1:\d+\/maven2\/nowhere\/.*: it answered 503/);
  expect(failure).not.toMatch(/h(ü|%C3%BC)sh/);
});
