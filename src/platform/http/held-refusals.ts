// A refusal for a spent budget or a full queue is answered late: whoever asks again at once, whatever it is told, asks once a second
// on each connection, and costs little. Without that, refusals alone kept an event loop and a processor busy (bench:load, hostile).
import type { FastifyInstance } from 'fastify';
import { setTimeout as rest } from 'node:timers/promises';

/** Real milliseconds; less than any Retry-After, so nobody who keeps to it waits longer. */
const HELD_MS = 1_000;
const TOO_MANY = 429;

/** `isOver`: once it is, nobody is held any more. */
export function holdRefusals(server: Pick<FastifyInstance, 'addHook'>, isOver: () => boolean): void {
  server.addHook('onSend', async (_request, reply) => {
    if (reply.statusCode === TOO_MANY && !isOver()) await rest(HELD_MS, undefined, { ref: false });
  });
}
