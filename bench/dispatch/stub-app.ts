// A push gateway that does no more than the interface asks of its wire: checks the signature, takes every send, answers
// every result as sent. Keeps nothing. It calls who watches for each call.
import { randomUUID } from 'node:crypto';
import { fastify, type FastifyInstance } from 'fastify';
import { ACCESS_KEY_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER } from '../../src/push-contract/headers.js';
import { PATH_PREFIX } from '../../src/push-contract/paths.js';
import { sign } from '../../src/push-contract/signature.js';
import { ACCESS_KEY, SECRET_KEY } from './settings.js';

export interface Watcher {
  taken(requestId: string): void;
  asked(requestId: string): void;
}

/** Every path below PATH_PREFIX is signed; whoever adds others answers for them. */
export function stubApp(watcher?: Watcher): FastifyInstance {
  const app = fastify({ logger: false, keepAliveTimeout: 30_000, bodyLimit: 4 * 1_024 * 1_024 });
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.url.startsWith(PATH_PREFIX)) return done();
    const timestamp = String(request.headers[TIMESTAMP_HEADER]);
    const known = request.headers[ACCESS_KEY_HEADER] === ACCESS_KEY;
    const { method, url: rawTarget } = request;
    const expected = sign({ method, rawTarget, timestamp, accessKey: ACCESS_KEY }, SECRET_KEY);
    if (known && request.headers[SIGNATURE_HEADER] === expected) done();
    else void reply.code(401).send({ error: { errorCode: '200', message: 'Authentication Failed' } });
  });
  app.post(`${PATH_PREFIX}/services/:serviceId/messages`, (_, reply) => {
    const requestId = randomUUID();
    watcher?.taken(requestId);
    return reply.code(202).send({
      requestId,
      requestTime: '2026-11-21T10:00:00.000',
      statusCode: '202',
      statusName: 'success',
    });
  });
  app.get(`${PATH_PREFIX}/services/:serviceId/messages/:requestId`, (request, reply) => {
    const { requestId } = request.params as { requestId: string };
    watcher?.asked(requestId);
    return reply.send({
      requestId,
      statusCode: '202',
      statusName: 'success',
      messageStatusCode: '200',
      messageStatusName: 'success',
      targetCount: 1,
      sentCount: 1,
      completeTime: '2026-11-21T10:00:00.000',
    });
  });
  return app;
}

/** Listens on a free port, prints its URL, and ends with its input. */
export async function serve(app: FastifyInstance): Promise<void> {
  process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
  process.stdin.resume().once('end', () => process.exit(0));
}
