// Long bodies take turns, fairly by service and token, from before they are read until they are answered. So their bytes in
// memory are bounded, and a sender that takes its time holds up nobody but its own service. Short bodies wait for nobody.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { finished } from 'node:stream';
import type { Owner } from '../fair-order.js';
import { Turns } from '../limited-turns.js';
import { lackOfTurns } from './lack-of-turns.js';

/** Bytes. A thousand connections with shorter bodies hold 125 MiB; one is parsed and checked in some 30 ms at worst. */
export const LONG_BODY_BYTES = 128 * 1024;
/** The longest body is 16 MiB, a batch of events: eight of them are 128 MiB. */
const TURNS = { most: 8, waiting: 200, waitingOfOne: 50, waitMs: 10_000 };

interface BodyTurns {
  /** Who sent the request, which is known before its body is read. */
  readonly ownerOf: (request: FastifyRequest) => Owner;
  /** The turns of one service. Bodies that the event loop itself parses hold up everybody else's requests one by one. */
  readonly mostOfOne: number;
  /** The refusal where no turn comes [BODIES_BUSY and BUDGET_SPENT]. */
  readonly busy?: () => Error;
}

export function takeTurnsOfBodies(
  server: Pick<FastifyInstance, 'addHook'>,
  { ownerOf, mostOfOne, busy }: BodyTurns,
): void {
  const limits = { ...TURNS, mostOfOne };
  const turns = new Turns(limits, busy ?? lackOfTurns(limits, { code: 'BODIES_BUSY', what: 'long bodies' }));
  server.addHook('preParsing', (request, reply, body, done) => {
    if (!mayBeLong(request)) {
      done(null, body);
      return;
    }
    const untilAnswered = (): Promise<void> =>
      new Promise((resolve) => {
        // Also where the sender went away while it waited for the turn.
        finished(reply.raw, () => resolve());
        done(null, body);
      });
    turns.take(ownerOf(request), untilAnswered).catch(done);
  });
}

/** A body in chunks does not say how long it is. */
function mayBeLong({ headers }: FastifyRequest): boolean {
  return (
    headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > LONG_BODY_BYTES
  );
}
