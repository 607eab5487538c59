// What the push service is measured against: a bare Fastify that verifies the same signature and does the same single
// insert or select, with nothing else in its way. A process of its own; prints one JSON line with its address.
import { hash, timingSafeEqual } from 'node:crypto';
import { fastify, type FastifyRequest } from 'fastify';
import { Pool } from 'pg';
import { v7 } from 'uuid';
import { ACCESS_KEY_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER } from '../../src/push-contract/headers.js';
import { sign } from '../../src/push-contract/signature.js';

/** Given as JSON in BARE_SETTINGS. */
export interface BareSettings {
  readonly databaseUrl: string;
  readonly poolSize: number;
  readonly serviceId: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

const settings = JSON.parse(process.env['BARE_SETTINGS'] ?? '{}') as BareSettings;
// The service's pool, and for each request one statement that does what the service's does with a row.
const pool = new Pool({
  connectionString: settings.databaseUrl,
  max: settings.poolSize,
  options: '-c search_path=push -c timezone=UTC -c random_page_cost=1.1',
  connectionTimeoutMillis: 5_000,
  query_timeout: 30_000,
  keepAlive: true,
});
const INSERT = {
  name: 'insert',
  text: `insert into bare_message (id, service_id, kind, state, message_type, request, dedupe_hash, body_hash, requested_at,
                                   reserve_time, reserve_time_zone, schedule_id, fire_at, small)
    values ($1, $2, $3, case when $3 = 'scheduled' then 'ATTACHED' else 'READY' end, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
    on conflict (dedupe_hash) do nothing returning 1`,
};
const FIND = {
  name: 'find',
  text: `select id, kind, state, message_type as "messageType", request, requested_at as "requestedAt",
           complete_at as "completeAt", target_count as "targetCount", sent_count as "sentCount"
    from bare_message where id = $1 and service_id = $2`,
};
const server = fastify();

function isSigned(request: FastifyRequest): boolean {
  const timestamp = String(request.headers[TIMESTAMP_HEADER]);
  const accessKey = String(request.headers[ACCESS_KEY_HEADER]);
  const parts = { method: request.method, rawTarget: request.raw.url ?? '', timestamp, accessKey };
  const expected = Buffer.from(sign(parts, settings.secretKey));
  const given = Buffer.from(String(request.headers[SIGNATURE_HEADER]));
  return (
    accessKey === settings.accessKey && expected.length === given.length && timingSafeEqual(expected, given)
  );
}

server.post('/push/v2/services/:serviceId/messages', async (request, reply) => {
  if (!isSigned(request)) return reply.code(401).send();
  const id = v7();
  const now = new Date();
  const body = JSON.stringify(request.body);
  const bodyHash = hash('sha256', body, 'buffer');
  const { reserveTime = null, reserveTimeZone = null } = request.body as Record<string, string>;
  await pool.query({
    ...INSERT,
    values: [
      id,
      settings.serviceId,
      reserveTime === null ? 'immediate' : 'reserved',
      'NOTIF',
      body,
      bodyHash,
      bodyHash,
      now,
      reserveTime,
      reserveTimeZone,
      null,
      now,
      true,
    ],
  });
  return reply
    .code(202)
    .send({ requestId: id, requestTime: now.toISOString(), statusCode: '202', statusName: 'success' });
});

server.get('/push/v2/services/:serviceId/messages/:requestId', async (request, reply) => {
  if (!isSigned(request)) return reply.code(401).send();
  const { requestId } = request.params as { requestId: string };
  const { rows } = await pool.query<Record<string, unknown>>({
    ...FIND,
    values: [requestId, settings.serviceId],
  });
  const [row] = rows;
  if (row === undefined) return reply.code(404).send();
  return reply.send({ ...row, request: JSON.parse(String(row['request'])) as unknown });
});

const url = await server.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`${JSON.stringify({ url })}\n`);
process.on('SIGTERM', () => process.exit(0));
