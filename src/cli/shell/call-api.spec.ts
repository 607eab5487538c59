import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { Secret } from '../../platform/env.js';
import { callApi, refusalOf, type Api } from './call-api.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function apiAt(answer: RequestListener): Promise<Api> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const url = `http://127.0.0.1:${address.port}`;
  return {
    name: 'the scheduler',
    variable: 'CARILLON_URL',
    url,
    token: new Secret('hush'),
    tokenVariable: 'CARILLON_TOKEN',
  };
}

it('never carries the token to where a redirect points', async () => {
  const asked: unknown[] = [];
  const other = await apiAt((request, response) => {
    asked.push(request.headers.authorization);
    response.end('{}');
  });
  const api = await apiAt((_, response) => response.writeHead(307, { location: other.url }).end());
  await expect(callApi(api, 'POST', '/v1/events', { type: 'application/json', body: '{}' })).rejects.toThrow(
    `the scheduler does not answer at ${api.url} (CARILLON_URL): `,
  );
  expect(asked).toEqual([]);
});

it.each([
  ['its detail', 409, '{"detail":"it is closed"}', 'it is closed'],
  [
    'every problem',
    400,
    '{"detail":"not so","problems":[{"pointer":"/a","text":"must be a text"},{"pointer":"/b","text":"is required"}]}',
    'not so\n  - /a: must be a text\n  - /b: is required',
  ],
  [
    'what a proxy says',
    502,
    '<html>Bad gateway</html>',
    'the scheduler answered 502: <html>Bad gateway</html>',
  ],
  [
    'where its token is from',
    401,
    '{"detail":"send a token"}',
    'send a token (it was given that of CARILLON_TOKEN)',
  ],
  ['JSON of another kind', 500, 'null', 'the scheduler answered 500: null'],
])('shows a refusal %s', async (_, status, body, text) => {
  const api = await apiAt((__, response) => response.writeHead(status).end(body));
  const answer = await callApi(api, 'GET', '/');
  expect({ ok: answer.ok, text: refusalOf(api, answer).message }).toEqual({ ok: false, text });
});
