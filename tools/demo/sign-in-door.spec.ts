import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSignInDoor, type SignInDoor } from './sign-in-door.js';

let scheduler: Server;
let asked: string[];
let door: SignInDoor;
let dashboard: string;

/** A scheduler that gives a session for the one token. */
beforeEach(async () => {
  asked = [];
  scheduler = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      asked.push(`${request.method} ${request.url} ${body}`);
      const isKnown = body.includes('secret-token');
      response.writeHead(isKnown ? 204 : 401, { 'set-cookie': 'carillon_session=sealed; HttpOnly' }).end();
    });
  });
  await new Promise<void>((resolve) => scheduler.listen(0, '127.0.0.1', resolve));
  dashboard = `http://127.0.0.1:${(scheduler.address() as AddressInfo).port}/`;
  door = await openSignInDoor(dashboard, 'secret-token');
});
afterEach(async () => {
  await door.close();
  scheduler.closeAllConnections();
  await new Promise((resolve) => scheduler.close(resolve));
});

const get = (url: string) => fetch(url, { redirect: 'manual' });

it('its link signs in and leads to the dashboard, and tells the token to nobody', async () => {
  const answer = await get(door.link);
  expect([answer.status, answer.headers.get('location')]).toEqual([303, dashboard]);
  expect(answer.headers.get('set-cookie')).toBe('carillon_session=sealed; HttpOnly');
  expect(asked).toEqual(['POST /v1/session {"token":"secret-token"}']);
  expect(door.link + JSON.stringify([...answer.headers])).not.toContain('secret-token');
});

it('is on this machine alone, and opens by no other path', async () => {
  expect(door.link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}$/);
  expect((await get(new URL('/', door.link).href)).status).toBe(404);
  expect((await fetch(door.link, { method: 'POST' })).status).toBe(404);
  expect(asked).toEqual([]);
});
