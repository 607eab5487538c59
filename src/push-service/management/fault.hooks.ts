// Carries out the faults of the sandbox on the gateway's server, after all checks and before the operation. It is added only with
// --sandbox.
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { operationOf } from '../gateway/operations.js';
import { PushError } from '../gateway/push-error.js';
import type { FaultRequest, Faults } from './faults.js';

export function addFaultHooks(server: FastifyInstance, faults: Faults): void {
  const struck = new WeakMap<FastifyRequest, FaultRequest>();

  const strike = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const name = operationOf(request.method, request.routeOptions.url);
    const fault = name === undefined ? undefined : faults.strike(name, request.caller?.service?.id);
    if (fault === undefined) return;
    struck.set(request, fault);
    if (fault.kind === 'delay') await wait(fault.ms);
    if (fault.kind === 'error') {
      const { error, retryAfterSeconds } = fault;
      throw new PushError(error, undefined, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
    }
    if (fault.kind === 'reset') {
      reply.hijack();
      request.raw.socket.resetAndDestroy();
    }
  };

  // A request does not wait here if no fault is set.
  server.addHook('preHandler', (request, reply, done) => {
    if (faults.list().length === 0) {
      done();
      return;
    }
    strike(request, reply).then(() => {
      if (!reply.sent) done();
    }, done);
  });

  server.addHook('onSend', (request, reply, payload, done) => {
    const kind = struck.get(request)?.kind;
    if (kind === 'answerLost') {
      reply.hijack();
      request.raw.socket.destroy();
      return;
    }
    if (kind === 'truncated') {
      sendHalf(request, reply, typeof payload === 'string' ? payload : '');
      return;
    }
    done(null, payload);
  });
}

/** Sends the length of the whole body and half of its bytes, and closes the connection. */
function sendHalf(request: FastifyRequest, reply: FastifyReply, body: string): void {
  const bytes = Buffer.from(body);
  reply.hijack();
  reply.raw.writeHead(reply.statusCode, {
    'content-type': String(reply.getHeader('content-type') ?? 'application/json; charset=utf-8'),
    'content-length': Math.max(1, bytes.length),
  });
  const { socket } = request.raw;
  reply.raw.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => socket.destroy());
}
