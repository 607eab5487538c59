// carillon-push sign-check: prints each finding, ok or what to do.
import { SystemClock } from '../../platform/clock.js';
import { processEnvironment } from '../../platform/env.js';
import { readStandardInput, readTextFile } from '../shell/read-text.js';
import { SECRET_VARIABLE, UsageError } from '../shell/usage-error.js';
import { readRequest } from './read-request.js';
import { checkSigned } from './sign-check.js';

/** The exit code is 1 where something is wrong. Throws a UsageError without the secret key. */
export async function printSignCheck(file = '-'): Promise<void> {
  const secretKey = processEnvironment()[SECRET_VARIABLE];
  if (!secretKey)
    throw new UsageError(`set ${SECRET_VARIABLE} to the secret key of the access key that signs`);
  const text = file === '-' ? await readStandardInput() : await readTextFile(file);
  const findings = checkSigned(readRequest(text), { secretKey, now: new SystemClock().now() });
  for (const { of, ok, text: says } of findings)
    process.stdout.write(`${ok ? 'ok' : 'NO'}  ${of.padEnd(9)}  ${says}\n`);
  if (findings.some(({ ok }) => !ok)) process.exitCode = 1;
}
