// Long bodies take turns, fairly by service and token. A turn lasts from before the body is read until the request is answered.
// That bounds their bytes in memory, and a slow sender holds up only its own service. Short bodies do not wait.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { finished } from 'node:stream';
import type { Owner } from '../fair-order.js';
import { Turns } from '../limited-turns.js';
import { lackOfTurns } from './lack-of-turns.js';

/** Bytes. A thousand connections with shorter bodies hold 125 MiB. To parse and check one takes at most some 30 ms. */
export const LONG_BODY_BYTES = 128 * 1024;
/** The longest body is 16 MiB, a batch of events: eight of them are 128 MiB. */
const TURNS = { most: 8, waiting: 200, waitingOfOne: 50, waitMs: 10_000 };

interface BodyTurns {
  /** Who sent the request. That is known before the body is read. */
  readonly ownerOf: (request: FastifyRequest) => Owner;
  /** The most turns of one service. A body that the event loop itself parses holds up everybody's requests. */
  readonly mostOfOne: number;
  /** Bodies that are read piece by piece: they take turns of their own. */
  readonly except?: (request: FastifyRequest) => boolean;
  /** Makes the refusal where no turn comes [BODIES_BUSY and BUDGET_SPENT]. */
  readonly busy?: () => Error;
}

export function takeTurnsOfBodies(
  server: Pick<FastifyInstance, 'addHook'>,
  { ownerOf, mostOfOne, busy, except }: BodyTurns,
): void {
  const limits = { ...TURNS, mostOfOne };
  const turns = new Turns(limits, busy ?? lackOfTurns(limits, { code: 'BODIES_BUSY', what: 'long bodies' }));
  server.addHook('preParsing', (request, reply, body, done) => {
    if (!mayBeLong(request) || except?.(request) === true) {
      done(null, body);
      return;
    }
    const untilAnswered = (): Promise<void> =>
      new Promise((resolve) => {
        // This also ends the turn if the sender went away while it waited.
        finished(reply.raw, () => resolve());
        done(null, body);
      });
    turns.take(ownerOf(request), untilAnswered).catch(done);
  });
}

/** A body with chunked encoding does not state its length. */
function mayBeLong({ headers }: FastifyRequest): boolean {
  return (
    headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > LONG_BODY_BYTES
  );
}
