// Through this, a spec file reaches the servers of the run (global-setup.ts).
import { inject } from 'vitest';

/** Asks for a server, which starts if nobody asked before. Throws with the server's own words when it cannot start. */
export async function askServer(server: 'postgres' | 'kafka'): Promise<unknown> {
  const answer = await fetch(`${inject('serversUrl')}/${server}`);
  if (!answer.ok) throw new Error(`the test run has no ${server}: ${await answer.text()}`);
  return answer.json();
}
