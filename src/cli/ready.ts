// Whether a service is ready, for the health check of a container: ends with 0 where the URL answers 2xx within 4 s, else
// with 1 and why. Asks nothing else.
const [url = ''] = process.argv.slice(2);
try {
  const { ok, status } = await fetch(url, { signal: AbortSignal.timeout(4_000) });
  if (!ok) throw new Error(`it answers ${status}`);
} catch (error) {
  process.stderr.write(`${url}: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
