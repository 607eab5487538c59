// One service's token sends long bodies and takes its time: four of them are read at once, and another's are taken meanwhile.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually } from '../../support/eventually.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';

const BATCH = 'application/cloudevents-batch+json';
const LENGTH = 8 * 1024 * 1024;

let database: TestDatabase;
let scheduler: TestScheduler;
let greedy: string;
let other: string;
const uploads: Upload[] = [];

beforeAll(async () => {
  database = await cloneDatabase();
  scheduler = await startScheduler(schedulerConfig(database.url, { CARILLON_ROLES: 'api' }));
  await eventually(() => scheduler.dataSource.isInitialized);
  greedy = await scheduler.bearer(['publisher'], ['greedy']);
  other = await scheduler.bearer(['publisher'], ['other']);
});
afterAll(async () => {
  for (const { socket } of uploads) socket.destroy();
  await scheduler.close();
  await database.drop();
});

interface Upload {
  readonly socket: Socket;
  answer: string;
}

/** Sends all of a body except its last byte, and collects the answer. */
async function beginUpload(more = `Content-Length: ${LENGTH}`): Promise<Upload> {
  const { hostname, port } = new URL(scheduler.url);
  const socket = connect(Number(port), hostname);
  const upload: Upload = { socket, answer: '' };
  uploads.push(upload);
  socket
    .on('error', () => undefined)
    .on('data', (data: Buffer) => (upload.answer += data.toString('latin1')));
  await once(socket, 'connect');
  const path = 'POST /v1/events HTTP/1.1\r\nHost: x\r\n';
  socket.write(`${path}Authorization: ${greedy}\r\nContent-Type: ${BATCH}\r\n${more}\r\n\r\n`);
  socket.write(more.startsWith('Content') ? Buffer.alloc(LENGTH - 1, ' ') : '1\r\n \r\n');
  return upload;
}

const post = (authorization: string, length: number) =>
  scheduler.call('POST', '/v1/events', {
    authorization,
    body: `[${' '.repeat(length)}]`,
    headers: { 'content-type': BATCH },
  });
const NOTHING_IN_IT = { status: 400 };

it('reads four long bodies of one service at once, and refuses what waits longer than ten seconds', async () => {
  for (let count = 0; count < 3; count += 1) await beginUpload();
  await beginUpload('Transfer-Encoding: chunked');
  const others = await Promise.all(Array.from({ length: 6 }, () => post(other, LENGTH)));
  for (const answer of others) expect(answer).toMatchObject(NOTHING_IN_IT);
  expect(await post(greedy, 1_000)).toMatchObject(NOTHING_IN_IT);
  expect(await post(greedy, LENGTH)).toMatchObject({ status: 503, body: { code: 'BODIES_BUSY' } });
  for (const { answer } of uploads) expect(answer).toBe('');
});

it('gives the turn of a sender that goes away to the next, also of one that went while it waited', async () => {
  const waits = await beginUpload('Transfer-Encoding: chunked');
  // This later request was answered, so the earlier one has begun to wait.
  expect(await post(greedy, 1_000)).toMatchObject(NOTHING_IN_IT);
  waits.socket.destroy();
  const next = post(greedy, LENGTH);
  uploads.shift()?.socket.destroy();
  expect(await next).toMatchObject(NOTHING_IN_IT);
  expect(await post(greedy, LENGTH)).toMatchObject(NOTHING_IN_IT);
});
