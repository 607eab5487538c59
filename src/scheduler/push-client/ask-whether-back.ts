// Asks a gateway in trouble for the result of a message that does not exist: a 404 in its own form proves that it works
// again, and costs nobody anything. Its circuit hears the answer.
import { v7 } from 'uuid';
import type { PushApi } from './push-api.js';
import type { ProjectCalls } from './project-calls.js';

/** Returns whether it could be asked. Never rejects. */
export async function askWhetherBack(
  calls: ProjectCalls,
  pushApi: Pick<PushApi, 'result'>,
  serviceId: string,
): Promise<boolean> {
  try {
    const called = await calls.call(serviceId, 'probe', () => pushApi.result(serviceId, v7()));
    if (called.kind === 'called') return true;
  } catch {
    // The database is away: its own loops say so.
  }
  calls.blocks.gate(serviceId).circuit.notAsked();
  return false;
}
