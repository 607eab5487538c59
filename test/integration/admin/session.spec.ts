// Sessions against a running scheduler, called as a browser calls it: cookies, Origin and x-csrf by hand.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually } from '../../support/eventually.js';
import {
  schedulerConfig,
  startScheduler,
  type Answer,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';

const HOUR = 3_600_000;
const MINUTE = 60_000;
let database: TestDatabase;
let scheduler: TestScheduler;
let admin: string;
/** The machine's clock of the scheduler. */
let wall = Date.parse('2027-03-01T00:00:00Z');
const masterKey = `one:${Buffer.alloc(32, 1).toString('base64')}`;

beforeAll(async () => {
  database = await cloneDatabase();
  scheduler = await start();
  admin = await scheduler.bearer(['admin']);
});

afterAll(async () => {
  await scheduler.close();
  await database.drop();
});

async function start(keys = masterKey): Promise<TestScheduler> {
  const config = schedulerConfig(database.url, { CARILLON_MASTER_KEY: keys, CARILLON_ROLES: 'api' });
  const started = await startScheduler(config, { wall: () => wall });
  await eventually(() => started.dataSource.isInitialized);
  return started;
}

async function newToken(roles = ['operator'], serviceIds = ['*']): Promise<{ id: string; token: string }> {
  const body = { name: `desk ${Math.random()}`, roles, serviceIds };
  const made = await scheduler.call('POST', '/v1/tokens', { authorization: admin, body });
  return made.body as { id: string; token: string };
}

/** Each test signs in with a token of its own: five tries of one are the most. */
const signIn = (token: string, headers: Record<string, string> = {}, at = scheduler): Promise<Answer> =>
  at.call('POST', '/v1/session', { body: { token }, headers });

const setCookie = (answer: Answer): string => answer.headers.get('set-cookie') ?? '';
const cookieOf = (answer: Answer): string => setCookie(answer).split(';')[0] ?? '';
const get = (path: string, cookie: string, headers: Record<string, string> = {}): Promise<Answer> =>
  scheduler.call('GET', path, { headers: { cookie, ...headers } });

async function signedIn(token: string): Promise<{ cookie: string; csrf: string }> {
  // The limit of an address has a spec of its own.
  const own = await start();
  try {
    const cookie = cookieOf(await signIn(token, {}, own));
    const { csrf } = (await get('/v1/session', cookie)).body as { csrf: string };
    return { cookie, csrf };
  } finally {
    await own.close();
  }
}

describe('signing in', () => {
  it('answers a cookie that no script reads and no other site sends, and who is signed in', async () => {
    const { token } = await newToken(['operator'], ['shop']);
    const answer = await signIn(token);
    expect([answer.status, answer.body]).toEqual([204, '']);
    expect(setCookie(answer)).toMatch(
      /^carillon_session=[^;]{40,}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    expect(setCookie(answer)).not.toContain(token);
    const shown = await get('/v1/session', cookieOf(answer));
    expect(shown.body).toEqual({
      token: expect.stringMatching(/^desk /) as unknown,
      roles: ['operator'],
      serviceIds: ['shop'],
      expiresAt: expect.any(String) as unknown,
      csrf: expect.stringMatching(/^.{32}$/) as unknown,
      now: expect.any(String) as unknown,
      clockRate: 1,
      version: '0.1.0',
      tzdata: expect.stringMatching(/^\d{4}[a-z]/) as unknown,
    });
  });

  it('asks for https of a browser that is not on this machine', async () => {
    const { token } = await newToken();
    const host = 'carillon.example';
    const plain = await scheduler.call('POST', '/v1/session', {
      body: { token },
      headers: { origin: `http://127.0.0.1:1` },
    });
    expect([plain.status, Object(plain.body).code]).toEqual([403, 'FOREIGN_REQUEST']);
    // fetch() sets Host itself.
    const { hostname, port } = new URL(scheduler.url);
    const { request } = await import('node:http');
    const asked = (origin: string) =>
      new Promise<[number | undefined, string]>((resolve, reject) => {
        const sent = request(
          {
            hostname,
            port,
            path: '/v1/session',
            method: 'POST',
            headers: { host, origin, 'content-type': 'application/json' },
          },
          (response) => {
            response.resume();
            resolve([response.statusCode, String(response.headers['set-cookie'] ?? '')]);
          },
        );
        sent.on('error', reject);
        const body = JSON.stringify({ token });
        sent.setHeader('content-length', body.length);
        sent.end(body);
      });
    expect(await asked(`http://${host}`)).toEqual([400, '']);
    const [status, cookie] = await asked(`https://${host}`);
    expect([status, cookie]).toEqual([204, expect.stringContaining('; Secure')]);
  });

  it('is refused alike for an unknown, an expired and a revoked token, and sets nothing', async () => {
    const own = await start();
    try {
      const [expired, revoked] = [await newToken(), await newToken()];
      await scheduler.dataSource.query('update api_token set expires_at = created_at where id = $1', [
        expired.id,
      ]);
      await scheduler.call('DELETE', `/v1/tokens/${revoked.id}`, { authorization: admin });
      for (const token of [`car_${'x'.repeat(43)}`, 'short', expired.token, revoked.token]) {
        const answer = await signIn(token, {}, own);
        expect([answer.status, Object(answer.body).detail]).toEqual([401, 'this token is not valid']);
        expect(setCookie(answer)).toBe('');
      }
    } finally {
      await own.close();
    }
  });

  it('is tried five times a minute by one address', async () => {
    const own = await start();
    try {
      const statuses: number[] = [];
      let last: Answer | undefined;
      for (let index = 0; index < 6; index += 1) {
        last = await signIn(`car_${String(index).repeat(43)}`, {}, own);
        statuses.push(last.status);
      }
      expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
      expect(Object(last?.body).code).toBe('TOO_MANY_SIGN_INS');
      expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(5);
    } finally {
      await own.close();
    }
  });

  it('takes no body that a stranger could fill memory with', async () => {
    const answer = await scheduler.call('POST', '/v1/session', { body: { token: 'x'.repeat(2_000) } });
    expect([answer.status, Object(answer.body).code]).toEqual([413, 'BODY_TOO_LARGE']);
  });
});

describe('a session', () => {
  it('may what its token may, and changes something only from our own pages', async () => {
    const { token } = await newToken();
    const { cookie, csrf } = await signedIn(token);
    const origin = scheduler.url;
    const cancel = (headers: Record<string, string>): Promise<Answer> =>
      scheduler.call('POST', '/v1/resolves/preview', { body: {}, headers: { cookie, ...headers } });
    expect((await get('/v1/campaigns', cookie)).status).toBe(200);
    expect((await get('/v1/tokens', cookie)).status).toBe(403);
    const refused = [
      {},
      { origin },
      { 'x-csrf': csrf },
      { origin: 'https://evil.example', 'x-csrf': csrf },
      { origin: 'null', 'x-csrf': csrf },
      { origin, 'x-csrf': 'x'.repeat(csrf.length) },
    ];
    for (const headers of refused) {
      const answer = await cancel(headers);
      expect([headers, answer.status, Object(answer.body).code]).toEqual([headers, 403, 'FOREIGN_REQUEST']);
    }
    // The body is judged: the request got that far.
    expect((await cancel({ origin, 'x-csrf': csrf })).status).toBe(400);
  });

  it('does not go together with a token', async () => {
    const { token } = await newToken();
    const { cookie } = await signedIn(token);
    const both = await get('/v1/session', cookie, { authorization: `Bearer ${token}` });
    expect([both.status, Object(both.body).code]).toEqual([400, 'TWO_CREDENTIALS']);
    const bearer = await scheduler.call('GET', '/v1/session', { authorization: `Bearer ${token}` });
    expect([bearer.status, Object(bearer.body).csrf]).toEqual([200, null]);
  });

  it('ends after two hours without a request, and after twelve whatever was asked', async () => {
    const { token } = await newToken();
    let { cookie } = await signedIn(token);
    const began = wall;
    const ask = async (): Promise<number> => {
      const answer = await get('/v1/session', cookie);
      cookie = cookieOf(answer) || cookie;
      return answer.status;
    };
    wall += 30_000;
    expect(setCookie(await get('/v1/session', cookie))).toBe('');
    const stale = cookie;
    for (; wall < began + 12 * HOUR - HOUR; wall += HOUR) expect(await ask()).toBe(200);
    expect(cookie).not.toBe(stale);
    expect((await get('/v1/session', stale)).status).toBe(401);
    wall = began + 12 * HOUR - MINUTE;
    expect(await ask()).toBe(200);
    wall = began + 12 * HOUR;
    expect(await ask()).toBe(401);
  });

  it('ends with its token: expired, or revoked in this process', async () => {
    const [expiring, revoked] = [await newToken(), await newToken()];
    const [one, other] = [await signedIn(expiring.token), await signedIn(revoked.token)];
    expect((await get('/v1/session', one.cookie)).status).toBe(200);
    await scheduler.dataSource.query('update api_token set expires_at = created_at where id = $1', [
      expiring.id,
    ]);
    scheduler.internals.tokens.forget();
    expect((await get('/v1/session', one.cookie)).status).toBe(401);
    await scheduler.call('DELETE', `/v1/tokens/${revoked.id}`, { authorization: admin });
    expect((await get('/v1/session', other.cookie)).status).toBe(401);
  });

  it('ends when somebody signs out', async () => {
    const { token } = await newToken();
    const { cookie, csrf } = await signedIn(token);
    const headers = { cookie, origin: scheduler.url, 'x-csrf': csrf };
    const out = await scheduler.call('DELETE', '/v1/session', { headers });
    expect([out.status, setCookie(out)]).toEqual([
      204,
      expect.stringMatching(/^carillon_session=; Max-Age=0;/),
    ]);
  });

  it('holds in every process of the same master key, also while the key is replaced, and in no other', async () => {
    const { token } = await newToken();
    const { cookie } = await signedIn(token);
    const two = `two:${Buffer.alloc(32, 2).toString('base64')}`;
    for (const [keys, status] of [
      [masterKey, 200],
      [`${two},${masterKey}`, 200],
      [two, 401],
    ] as const) {
      const other = await start(keys);
      try {
        expect([keys, (await other.call('GET', '/v1/session', { headers: { cookie } })).status]).toEqual([
          keys,
          status,
        ]);
      } finally {
        await other.close();
      }
    }
  });

  it('is none where the cookie was changed', async () => {
    const { token } = await newToken();
    const { cookie } = await signedIn(token);
    const [name = '', value = ''] = cookie.split(/=(.*)/s);
    for (const forged of [`${name}=x`, `${name}=`, `${name}=${value.slice(0, -8)}AAAAAAAA`, `${name}=%ff`])
      expect([forged, (await get('/v1/session', forged)).status]).toEqual([forged, 401]);
  });
});
