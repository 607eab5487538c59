// A spec file's way to the parts of the run (global-setup.ts).
import { inject } from 'vitest';

/** Asks for a part, which starts if nobody asked before. Throws with the part's own words when it cannot start. */
export async function askPart(part: 'postgres' | 'kafka'): Promise<unknown> {
  const answer = await fetch(`${inject('partsUrl')}/${part}`);
  if (!answer.ok) throw new Error(`the test run has no ${part}: ${await answer.text()}`);
  return answer.json();
}
