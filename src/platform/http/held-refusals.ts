// Answers a refusal for a spent budget or a full queue late. So a caller who ignores Retry-After and asks again at once asks once
// a second on each connection, and costs little. Without that, refusals alone kept an event loop and a processor busy
// (bench:load, hostile).
import type { FastifyInstance } from 'fastify';
import { setTimeout as rest } from 'node:timers/promises';

/** Real milliseconds. Less than any Retry-After, so a caller who obeys it does not wait longer. */
const HELD_MS = 1_000;
const TOO_MANY = 429;

/** Once `isOver` returns true, no refusal is delayed any more. */
export function holdRefusals(server: Pick<FastifyInstance, 'addHook'>, isOver: () => boolean): void {
  server.addHook('onSend', async (_request, reply) => {
    if (reply.statusCode === TOO_MANY && !isOver()) await rest(HELD_MS, undefined, { ref: false });
  });
}
