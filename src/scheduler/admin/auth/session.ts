// The session of a person at the dashboard: a sealed cookie that stands for a token. What a cookie may do beside a token in a
// header is decided here. The library seals and reads the cookie; the row of the token is asked with each request (auth.guard.ts).
import ipaddr from 'ipaddr.js';
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { Problem } from '../../../platform/http/problem.js';
import { hashToken } from '../../store/token.store.js';

export const SESSION_COOKIE = 'carillon_session';

/** How long a session lasts, and how long it may be unused, milliseconds of the machine's own clock. */
const SESSION_MS = 12 * 3_600_000;
const IDLE_MS = 2 * 3_600_000;
/** The cookie is written anew when its last use is this old, so that not every answer carries one. */
const RENEWED_MS = 60_000;

const KEPT = 'carillon';

/** What the cookie holds; instants of the machine's own clock. */
interface SessionFacts {
  /** The hash of the token, base64url. */
  readonly token: string;
  readonly csrf: string;
  readonly startedAt: number;
  readonly usedAt: number;
}

/** What the library puts on a request. */
interface SealedSession {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  options(options: { secure: boolean; maxAge: number }): void;
  delete(): void;
}

export interface SessionRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Missing where the application has no cookies, as in tests of the guard alone. */
  readonly session?: SealedSession | null;
}

/** The session of a request; undefined: it has none, or one that is over. `now`: of the machine's own clock. */
export function sessionOf({ session }: SessionRequest, now: number): SessionFacts | undefined {
  const facts = session?.get(KEPT) as SessionFacts | undefined;
  if (facts === undefined) return undefined;
  const isOver = now >= facts.startedAt + SESSION_MS || now >= facts.usedAt + IDLE_MS;
  return isOver ? undefined : facts;
}

/** Begins a session; the answer to this request sets its cookie. Throws 400 where a browser would not send it back. */
export function beginSession(request: SessionRequest, token: string, now: number): void {
  const { session } = request;
  if (!session) throw new Error('this application has no sessions');
  mustComeFromUs(request);
  if (isPlain(request)) {
    const text =
      'a session needs https: a browser would not send its cookie over plain http but to this machine itself';
    throw new Problem(400, 'TLS_NEEDED', text);
  }
  const csrf = randomBytes(24).toString('base64url');
  const facts: SessionFacts = {
    token: hashToken(token).toString('base64url'),
    csrf,
    startedAt: now,
    usedAt: now,
  };
  write(request, facts, now);
}

/** Writes the cookie anew where its last use is a while ago. */
export function renewSession(request: SessionRequest, facts: SessionFacts, now: number): void {
  if (now - facts.usedAt >= RENEWED_MS) write(request, { ...facts, usedAt: now }, now);
}

/** Throws 403 unless the request comes from our own pages: it has our Origin, and the x-csrf of its session. */
export function mustBeOurs(request: SessionRequest, { csrf }: SessionFacts): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  if (request.headers['origin'] === undefined) throw foreign('it has no Origin');
  mustComeFromUs(request);
  const given = Buffer.from(String(request.headers['x-csrf'] ?? ''));
  const expected = Buffer.from(csrf);
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw foreign('its x-csrf is not the one that GET /v1/session answers');
}

/** A program has no Origin, and no cookie of somebody else. */
function mustComeFromUs({ headers }: SessionRequest): void {
  const origin = urlOf(headers['origin']);
  if (origin === undefined) {
    if (headers['origin'] !== undefined) throw foreign('its Origin is none of ours');
    return;
  }
  // A browser writes no default port in Origin; a proxy may write it in Host.
  if (urlOf(`${origin.protocol}//${String(headers['host'])}`)?.host !== origin.host) {
    throw foreign(
      `its Origin is ${origin.origin}, and it was sent to the host ${String(headers['host'])}: a proxy must pass Host on`,
    );
  }
}

function foreign(why: string): Problem {
  return new Problem(403, 'FOREIGN_REQUEST', `a session changes nothing by this request: ${why}`);
}

function write(request: SessionRequest, facts: SessionFacts, now: number): void {
  const maxAge = Math.max(1, Math.floor((facts.startedAt + SESSION_MS - now) / 1_000));
  request.session?.options({ secure: !isOfThisMachine(request), maxAge });
  request.session?.set(KEPT, facts);
}

const isPlain = (request: SessionRequest): boolean =>
  urlOf(request.headers['origin'])?.protocol === 'http:' && !isOfThisMachine(request);

/** Whether the browser runs on this machine and came over plain http: a tool such as curl is judged by Host alone. */
function isOfThisMachine({ headers }: SessionRequest): boolean {
  const asked = urlOf(headers['origin']) ?? urlOf(`http://${String(headers['host'])}`);
  if (asked?.protocol !== 'http:') return false;
  const host = asked.hostname.replace(/^\[|\]$/g, '');
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';
}

function urlOf(text: unknown): URL | undefined {
  return typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
}
