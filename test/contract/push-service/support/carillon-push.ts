// The compiled carillon-push command against a service under test.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Target } from './target.js';

const COMMAND = fileURLToPath(new URL('../../../../dist/src/cli/carillon-push.js', import.meta.url));

export interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Its exit code, and what it printed; `input` is its standard input. */
export function carillonPush(
  { managementUrl, managementToken }: Target,
  args: readonly string[],
  input = '',
): Promise<CommandResult> {
  const env = { ...process.env, MANAGEMENT_URL: managementUrl, MANAGEMENT_TOKEN: managementToken };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [COMMAND, ...args], { env }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    );
    child.stdin?.end(input);
  });
}
