// Runs once around the whole test run, in Vitest's own process: opens a small server of 127.0.0.1 from which spec
// files ask for the real servers that they need. A server starts on the first request, so a run of pure specs starts none.
import { createServer } from 'node:http';
import type { TestProject } from 'vitest/node';
import { SharedServers } from './shared-servers.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where `GET /postgres` and `GET /kafka` start the server and answer how to reach it. */
    serversUrl: string;
  }
}

/** Starts that server and returns the teardown that stops every server. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const servers = await SharedServers.open(project.config.root);
  const temporary = servers.temporaryFolder();
  // What os.tmpdir() answers, here and in every worker: they start after this.
  if (temporary !== undefined) process.env['TMPDIR'] = temporary;
  const starters = new Map<string, () => Promise<unknown>>([
    ['/postgres', () => servers.postgres()],
    ['/kafka', () => servers.kafka()],
  ]);
  const server = createServer((request, response) => {
    const start = starters.get(request.url ?? '');
    if (start === undefined) {
      response.writeHead(404).end(`no such server: ${request.url}`);
      return;
    }
    start().then(
      (answer) => response.end(JSON.stringify(answer)),
      (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.stack : String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server of the run has no port');
  project.provide('serversUrl', `http://127.0.0.1:${address.port}`);
  return async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await servers.close();
  };
}
