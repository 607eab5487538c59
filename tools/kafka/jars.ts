// Apache Kafka's jars, in a cache that all projects of this user share. Every jar is checked against jars.lock.json
// on every start; nothing is fetched while the sums are right, so a machine that has them needs no network.
import { messageOf } from '../../src/platform/logging/error-code.js';
import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { scheduler } from 'node:timers/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import { HeldError, hold } from '../process/hold.js';
import { projectRoot } from '../project.js';

const run = promisify(execFile);

const Lock = z.object({
  kafka: z.string(),
  jars: z.array(z.object({ path: z.string(), bytes: z.number(), sha256: z.string() })),
});
type Jar = z.output<typeof Lock>['jars'][number];
type Environment = Readonly<Record<string, string | undefined>>;

/** Thrown when the jars are not cached and cannot be had; its message says what to do. */
export class NoJarsError extends Error {
  readonly code = 'NO_KAFKA_JARS';
}

export interface JarOptions {
  env: Environment;
  /** Called before anything is fetched. */
  say: (sentence: string) => void;
}

const DOWNLOADS_AT_ONCE = 8;
const ASK_EVERY_MS = 100;
const DOWNLOAD_TIMEOUT_MS = 120_000;

/** The jars' paths, always in the same order. Fetches what is missing or wrong; throws NoJarsError when it cannot. */
export async function ensureJars({ env, say }: JarOptions): Promise<string[]> {
  const lock = Lock.parse(
    JSON.parse(await readFile(join(projectRoot, 'tools', 'kafka', 'jars.lock.json'), 'utf8')),
  );
  const cache = jarCache(env, lock.kafka);
  await makeCache(cache);
  if ((await wrongJars(lock.jars, cache)).length > 0) {
    const release = await turnToFetch(cache, say);
    try {
      await fetchMissing(lock, cache, { env, say });
    } finally {
      release();
    }
  }
  return lock.jars.map((jar) => join(cache, basename(jar.path)));
}

async function fetchMissing(
  { kafka, jars }: z.output<typeof Lock>,
  cache: string,
  { env, say }: JarOptions,
): Promise<void> {
  const missing = await wrongJars(jars, cache);
  if (missing.length === 0) return;
  const megabytes = Math.ceil(missing.reduce((sum, jar) => sum + jar.bytes, 0) / 1e6);
  say(`fetching Apache Kafka ${kafka}: ${missing.length} jars, ${megabytes} MB …`);
  await fetchJars(missing, cache, env);
}

/** One process at a time: on a new machine several begin at once, and Mavens side by side get into each other's way. */
async function turnToFetch(cache: string, say: JarOptions['say']): Promise<() => void> {
  for (let hasSaid = false; ; hasSaid = true) {
    try {
      return hold(join(cache, 'fetch.hold'));
    } catch (error) {
      if (!(error instanceof HeldError)) throw error;
      if (!hasSaid) say(`process ${error.holder.pid} is fetching Apache Kafka; waiting for it`);
      await scheduler.wait(ASK_EVERY_MS);
    }
  }
}

/** `$XDG_CACHE_HOME/carillon/kafka-…`, by default below ~/.cache. */
export function jarCache(env: Environment, version: string): string {
  const home = env['XDG_CACHE_HOME'];
  return join(
    home === undefined || home === '' ? join(homedir(), '.cache') : home,
    'carillon',
    `kafka-${version}`,
  );
}

async function makeCache(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (cause) {
    throw new NoJarsError(
      `Apache Kafka's jars cannot be kept in ${folder}; set XDG_CACHE_HOME to a folder of yours.`,
      {
        cause,
      },
    );
  }
}

async function wrongJars(jars: readonly Jar[], folder: string): Promise<Jar[]> {
  const right = await Promise.all(jars.map((jar) => isRight(jar, join(folder, basename(jar.path)))));
  return jars.filter((_jar, index) => right[index] !== true);
}

async function isRight(jar: Jar, file: string): Promise<boolean> {
  try {
    return sumOf(await readFile(file)) === jar.sha256;
  } catch {
    return false;
  }
}

function sumOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * No repository's address is built in: MAVEN_CENTRAL_URL names one, and an installed Maven knows one, with the
 * mirrors and credentials of its settings.
 */
async function fetchJars(jars: readonly Jar[], cache: string, env: Environment): Promise<void> {
  const base = env['MAVEN_CENTRAL_URL'];
  const failures: string[] = [];
  if (base !== undefined && base !== '') {
    try {
      return await download(jars, cache, base);
    } catch (error) {
      failures.push(messageOf(error));
    }
  }
  const outcome = await resolveByMaven(jars, cache, env);
  if (outcome === 'fetched') return;
  failures.push(outcome);
  throw new NoJarsError(
    `Apache Kafka's jars are not here yet (${failures.join('; ')}). Set MAVEN_CENTRAL_URL to the address of Maven ` +
      'Central or a mirror of it, or install Maven, and start again with a network; once fetched they stay.',
  );
}

async function download(jars: readonly Jar[], cache: string, base: string): Promise<void> {
  const repository = parseRepository(base);
  const waiting = [...jars];
  const failed = new AbortController();
  const worker = async (): Promise<void> => {
    for (let jar = waiting.shift(); jar !== undefined; jar = waiting.shift()) {
      const signal = AbortSignal.any([failed.signal, AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS)]);
      await store(jar, cache, await bytesOf(jar, repository, signal));
    }
  };
  try {
    await Promise.all(Array.from({ length: DOWNLOADS_AT_ONCE }, worker));
  } catch (error) {
    failed.abort();
    throw error;
  }
}

interface Repository {
  address: string;
  headers: Record<string, string>;
}

/** fetch refuses an address with user and password in it, so they travel as the header that they stand for. */
function parseRepository(base: string): Repository {
  if (!URL.canParse(base)) throw new Error('MAVEN_CENTRAL_URL is not an address');
  const { username, password, protocol, host, pathname } = new URL(base);
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const headers: Record<string, string> =
    pair === ':' ? {} : { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
  return { address: `${protocol}//${host}${pathname.replace(/\/+$/, '')}`, headers };
}

async function bytesOf(jar: Jar, { address, headers }: Repository, signal: AbortSignal): Promise<Buffer> {
  const url = `${address}/${jar.path}`;
  try {
    const answer = await fetch(url, { headers, signal });
    if (answer.ok) return Buffer.from(await answer.arrayBuffer());
    throw new Error(`it answered ${answer.status}`);
  } catch (cause) {
    const why = cause instanceof Error ? cause : new Error(String(cause));
    throw new Error(`${url}: ${why.cause instanceof Error ? why.cause.message : why.message}`, { cause });
  }
}

/** Into the cache by a rename, so that another process never reads half a jar; refused when the sum is wrong. */
async function store(jar: Jar, cache: string, bytes: Buffer): Promise<void> {
  const sum = sumOf(bytes);
  if (sum !== jar.sha256) throw new Error(`${jar.path} came with sha256 ${sum} instead of ${jar.sha256}`);
  const temporary = join(cache, `${basename(jar.path)}.${randomUUID()}.tmp`);
  try {
    await writeFile(temporary, bytes);
    await rename(temporary, join(cache, basename(jar.path)));
  } finally {
    await rm(temporary, { force: true });
  }
}

/** 'fetched', or why Maven did not give them. */
async function resolveByMaven(jars: readonly Jar[], cache: string, env: Environment): Promise<string> {
  const folder = await mkdtemp(join(cache, 'maven-'));
  const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${folder}`];
  try {
    // -U: Maven remembers a failed try for a day.
    await run('mvn', ['-B', '-q', '-U', '-f', join(projectRoot, 'tools', 'kafka', 'pom.xml'), ...goal], {
      env,
    });
    for (const jar of jars) await store(jar, cache, await readFile(join(folder, basename(jar.path))));
    return 'fetched';
  } catch (error) {
    const failure = z.object({ code: z.unknown(), stdout: z.string().optional() }).safeParse(error).data;
    if (failure?.code === 'ENOENT' && failure.stdout !== undefined) return 'Maven is not installed';
    const said = /\[ERROR\] (.*)/.exec(failure?.stdout ?? '')?.[1];
    return `Maven could not fetch them: ${said ?? messageOf(error)}`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
