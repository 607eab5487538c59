// The health check of a container: exit code 0 if the URL answers 2xx within 4 s, else 1 with the reason. Asks nothing else.
import { messageOf } from '../platform/logging/error-code.js';
const [url = ''] = process.argv.slice(2);
try {
  const { ok, status } = await fetch(url, { signal: AbortSignal.timeout(4_000) });
  if (!ok) throw new Error(`it answers ${status}`);
} catch (error) {
  process.stderr.write(`${url}: ${messageOf(error)}\n`);
  process.exitCode = 1;
}
