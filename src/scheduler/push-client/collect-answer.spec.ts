// The limit on a whole call, with a real server and a connection that is busy.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { expect, it } from 'vitest';
import { collectAnswer } from './collect-answer.js';

it('ends a call that still waits for a connection, and proves that it was not sent', async () => {
  const paths: string[] = [];
  const held: ServerResponse[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? '');
    if (request.url === '/first') held.push(response);
    else response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const agent = new Agent({ connections: 1, pipelining: 1 });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const arrived = once(server, 'request');
    const first = collectAnswer(agent, { origin, path: '/first', method: 'GET' }, 10_000);
    await arrived;
    const second = await collectAnswer(agent, { origin, path: '/second', method: 'GET' }, 100);
    expect(second).toEqual({ kind: 'unanswered', started: false, error: 'CALL_TIMEOUT', timedOut: true });
    held[0]?.end();
    expect(await first).toMatchObject({ kind: 'raw', status: 200 });
    expect(await collectAnswer(agent, { origin, path: '/third', method: 'GET' }, 10_000)).toMatchObject({
      status: 200,
    });
    expect(paths).toEqual(['/first', '/third']);
  } finally {
    await agent.destroy();
    server.close();
  }
});

it('never writes a request that may not leave when there is a connection for it', async () => {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? '');
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const agent = new Agent({ connections: 1, pipelining: 1 });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const call = (path: string, mayLeave: boolean) =>
    collectAnswer(agent, { origin, path, method: 'POST', body: 'x' }, 10_000, () => mayLeave);
  try {
    // On a connection that is still to be opened, and on one that is open.
    const kept = { kind: 'unanswered', started: false, error: 'NOT_LEFT', timedOut: false };
    expect(await call('/new', false)).toEqual(kept);
    expect(await call('/first', true)).toMatchObject({ kind: 'raw', status: 200 });
    expect(await call('/open', false)).toEqual(kept);
    expect(await call('/second', true)).toMatchObject({ kind: 'raw', status: 200 });
    expect(paths).toEqual(['/first', '/second']);
  } finally {
    await agent.destroy();
    server.close();
  }
});
