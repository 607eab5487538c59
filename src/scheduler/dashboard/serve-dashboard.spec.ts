// What the scheduler's origin answers beside its API: pages, their files, and nothing in the place of an unknown route.
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NONCE, type BuiltDashboard } from './built-dashboard.js';
import { serveDashboard } from './serve-dashboard.js';

const HTML = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8';
const built: BuiltDashboard = {
  page: `<script nonce="${NONCE}"></script><link nonce="${NONCE}">`,
  assets: new Map([
    [
      '/assets/index-1a2b.js',
      {
        type: 'text/javascript; charset=utf-8',
        plain: Buffer.from('plain'),
        packed: [
          ['br', Buffer.from('br')],
          ['gzip', Buffer.from('gz')],
        ],
      },
    ],
    [
      '/assets/icon-3c.svg',
      { type: 'image/svg+xml; charset=utf-8', plain: Buffer.from('<svg/>'), packed: [] },
    ],
  ]),
};

let app: FastifyInstance;
let reads: number;

async function open(found: BuiltDashboard | undefined): Promise<void> {
  app = fastify();
  reads = 0;
  serveDashboard(app, () => {
    reads += 1;
    return found;
  });
  app.get('/', () => 'the ways');
  app.get('/v1/campaigns', () => ({ items: [] }));
  await app.ready();
}

beforeEach(() => open(built));
afterEach(() => app.close());

const get = (url: string, accept = HTML, more: Record<string, string> = {}) =>
  app.inject({ method: 'GET', url, headers: { accept, ...more } });

describe('a page', () => {
  it.each(['/', '/campaigns', '/campaigns/01936d5c?tab=report', '/no/such/page'])(
    'is what a browser gets at %s',
    async (url) => {
      const { statusCode, headers, body } = await get(url);
      expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      const [, nonce] = /'nonce-([\w-]{22})'/.exec(String(headers['content-security-policy'])) ?? [];
      expect(body).toBe(`<script nonce="${nonce}"></script><link nonce="${nonce}">`);
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['referrer-policy']).toBe('no-referrer');
    },
  );

  it('has a nonce of its own each time, and a policy without inline scripts or strangers', async () => {
    const policies = await Promise.all(['/', '/'].map(async (url) => (await get(url)).headers));
    const [one, other] = policies.map((headers) => String(headers['content-security-policy']));
    expect(one).not.toBe(other);
    expect(one).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-/);
    expect(one).not.toMatch(/unsafe|https?:|\*/);
    expect(one).toContain("frame-ancestors 'none'");
  });

  it('answers HEAD with the same headers', async () => {
    const { statusCode, headers } = await app.inject({
      method: 'HEAD',
      url: '/campaigns',
      headers: { accept: HTML },
    });
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']).toBeDefined();
  });

  it.each([
    ['a program', '/campaigns', '*/*'],
    ['the API', '/v1/nowhere', HTML],
    ['health', '/health/nowhere', HTML],
    ['the documents', '/docs/nowhere', HTML],
    ['a schema', '/schemas/nowhere', HTML],
    ['JSON', '/nowhere.json', HTML],
    ['an asset', '/assets/nowhere.js', HTML],
  ])('is not put in the place of what %s did not find', async (_who, url, accept) => {
    expect((await get(url, accept)).statusCode).toBe(404);
  });

  it('takes no route from the API, nor the way of programs to the documents', async () => {
    expect((await get('/v1/campaigns')).json()).toEqual({ items: [] });
    expect((await get('/', '*/*')).body).toBe('the ways');
  });

  it('is no answer to a change', async () => {
    const { statusCode } = await app.inject({ method: 'POST', url: '/campaigns', headers: { accept: HTML } });
    expect(statusCode).toBe(404);
  });
});

describe('a file of the page', () => {
  it.each([
    ['gzip, deflate, br', 'br', 'br'],
    ['gzip', 'gzip', 'gz'],
    ['br;q=0, gzip', 'gzip', 'gz'],
    ['identity', undefined, 'plain'],
  ])('is sent to who takes "%s" as %s', async (accepted, packing, body) => {
    const answer = await get('/assets/index-1a2b.js', '*/*', { 'accept-encoding': accepted });
    expect([answer.headers['content-encoding'], answer.body]).toEqual([packing, body]);
    expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(answer.headers['vary']).toBe('accept-encoding');
  });

  it('is sent as it is where it was not worth packing', async () => {
    const { headers, body } = await get('/assets/icon-3c.svg', '*/*', { 'accept-encoding': 'br' });
    expect([headers['content-encoding'], body]).toEqual([undefined, '<svg/>']);
  });

  it('is read once, with its page', async () => {
    await get('/');
    await get('/assets/icon-3c.svg');
    await get('/assets/../package.json');
    expect(reads).toBe(1);
  });
});

it('a scheduler whose dashboard is not built says so at its address, and answers the API as ever', async () => {
  await app.close();
  await open(undefined);
  const { statusCode, body } = await get('/');
  expect([statusCode, body]).toEqual([503, expect.stringContaining('npm run build')]);
  expect((await get('/campaigns')).statusCode).toBe(404);
  expect((await get('/v1/campaigns')).statusCode).toBe(200);
});
