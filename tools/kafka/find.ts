// Finds a Kafka to use: brokers of your own, a JVM here, Docker, or none, in that order. Starts nothing.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ensureJars, NoJarsError } from './jars.js';
import { findJava, type Java } from './java.js';

const run = promisify(execFile);

export type FoundKafka =
  | { kind: 'given'; brokers: string[] }
  | { kind: 'jvm'; java: Java; jars: string[] }
  | { kind: 'docker' }
  /** `reason` is a sentence for the person who started us: what was looked for, and what would help. */
  | { kind: 'none'; reason: string };

export interface FindOptions {
  env?: Readonly<Record<string, string | undefined>>;
  /** Called before something that takes long. */
  say?: (sentence: string) => void;
}

/** Never throws for a lack: what is missing is said in the answer. May fetch the jars. */
export async function findKafka(options: FindOptions = {}): Promise<FoundKafka> {
  const { env = process.env, say = () => undefined } = options;
  const brokers = (env['KAFKA_BROKERS'] ?? '').split(',').map((broker) => broker.trim());
  if (brokers.some((broker) => broker !== ''))
    return { kind: 'given', brokers: brokers.filter((broker) => broker !== '') };

  const java = await findJava(env);
  let lack: string;
  if ('command' in java) {
    try {
      return { kind: 'jvm', java, jars: await ensureJars({ env, say }) };
    } catch (error) {
      if (!(error instanceof NoJarsError)) throw error;
      lack = error.message;
    }
  } else {
    lack = `${java.reason[0]?.toUpperCase()}${java.reason.slice(1)}.`;
  }
  if (await dockerAnswers(env)) return { kind: 'docker' };
  return {
    kind: 'none',
    reason:
      `There is no Kafka to be had. ${lack} Docker does not answer either. Install Java 17 or newer, start Docker, ` +
      'or set KAFKA_BROKERS to brokers of yours.',
  };
}

async function dockerAnswers(env: Readonly<Record<string, string | undefined>>): Promise<boolean> {
  try {
    // The client alone succeeds at almost everything; `info` with a format fails without its daemon.
    await run('docker', ['info', '--format', '{{.ServerVersion}}'], { env, timeout: 10_000 });
    return true;
  } catch {
    return false;
  }
}
