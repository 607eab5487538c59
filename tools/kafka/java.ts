// Finds a JVM that can run Kafka. Installs nothing.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);

/** Kafka 4 brokers need it. */
const OLDEST = 17;

export interface Java {
  /** The program: a path, or a name that the PATH resolves. */
  command: string;
  /** As it names itself, such as 17.0.15. */
  version: string;
}

/** The JVM of JAVA_HOME, else of the PATH; or a sentence on why there is none. */
export async function findJava(
  env: Readonly<Record<string, string | undefined>>,
): Promise<Java | { reason: string }> {
  const home = env['JAVA_HOME'];
  const candidates = [...(home === undefined || home === '' ? [] : [join(home, 'bin', 'java')]), 'java'];
  let reason = 'no Java was found';
  for (const command of candidates) {
    const version = await versionOf(command, env['PATH'] ?? '');
    if (version === undefined) continue;
    if (majorOf(version) >= OLDEST) return { command, version };
    reason = `the Java found is ${version}, and Kafka needs ${OLDEST} or newer`;
  }
  return { reason };
}

async function versionOf(command: string, path: string): Promise<string | undefined> {
  try {
    const { stderr } = await run(command, ['-version'], { env: { PATH: path }, timeout: 20_000 });
    return /version "([^"]+)"/.exec(stderr)?.[1];
  } catch (error) {
    // A JVM may complain on its way out and still have said its version.
    const said = z.object({ stderr: z.string() }).safeParse(error);
    return /version "([^"]+)"/.exec(said.data?.stderr ?? '')?.[1];
  }
}

/** 1.8.0_402 is Java 8; 25-ea is Java 25. */
function majorOf(version: string): number {
  const [first = '0', second = '0'] = version.split(/[.\-+]/);
  return first === '1' ? Number(second) : Number(first);
}
