// The bearer token of a service account (RFC 7523): fetched by one signed assertion for however many ask, renewed ahead
// of its end, and used to its end where that fails.
import { sign } from 'node:crypto';
import type { Clock, EpochMs } from '../../../platform/clock.js';
import type { Http2Pool } from '../../../platform/http/http2-pool.js';
import type { TokenAnswer } from '../over-http2/line.js';
import { jsonOf, memberOf } from '../over-http2/verdict.js';
import type { ServiceAccount } from './service-account.js';

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
const ASSERTION_SECONDS = 3_600;
/** So long before its end a token is renewed, beside its use. */
const AHEAD_MS = 300_000;
/** Between two tries to renew one that still holds. */
const AGAIN_MS = 10_000;

export interface AccessTokenOptions {
  readonly account: ServiceAccount;
  /** To the host of `address`. */
  readonly pool: Http2Pool;
  readonly address: URL;
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly realNow: () => EpochMs;
}

interface Held {
  readonly token: string;
  /** Clock.elapsed() of its end. */
  readonly until: number;
}

export class AccessToken {
  #held: Held | undefined;
  #fetching: Promise<TokenAnswer> | undefined;
  #triedAt = -Infinity;

  constructor(private readonly options: AccessTokenOptions) {}

  get(): TokenAnswer | Promise<TokenAnswer> {
    const now = this.options.clock.elapsed();
    if (this.#held === undefined || now >= this.#held.until) return this.#fetch();
    if (now >= this.#held.until - AHEAD_MS && now - this.#triedAt >= AGAIN_MS) void this.#fetch();
    return { kind: 'token', token: this.#held.token };
  }

  /** A token that was refused is used no more; the one that came after it is. */
  drop(refused: string): void {
    if (this.#held?.token === refused) this.#held = undefined;
  }

  #fetch(): Promise<TokenAnswer> {
    this.#triedAt = this.options.clock.elapsed();
    this.#fetching ??= this.#ask().finally(() => (this.#fetching = undefined));
    return this.#fetching;
  }

  async #ask(): Promise<TokenAnswer> {
    const { account, pool, address, clock, realNow } = this.options;
    const askedAt = clock.elapsed();
    const grant = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: assertion(account, address, realNow()),
    });
    const answer = await pool.request({
      headers: {
        ':method': 'POST',
        ':path': `${address.pathname}${address.search}`,
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
      },
      body: grant.toString(),
      readsAll: true,
    });
    if (answer.kind !== 'answered') return unavailable(answer.reason);
    const json = jsonOf(answer.body);
    const token = memberOf(json, 'access_token');
    const seconds = Number(memberOf(json, 'expires_in'));
    if (answer.status === 200 && typeof token === 'string' && seconds > 0) {
      this.#held = { token, until: askedAt + seconds * 1_000 };
      return { kind: 'token', token };
    }
    const isRefused = answer.status >= 400 && answer.status < 500 && answer.status !== 429;
    if (!isRefused) return unavailable(`it answered ${answer.status}`);
    const text = (name: string): string | undefined => {
      const value = memberOf(json, name);
      return typeof value === 'string' ? value : undefined;
    };
    const reason = text('error') ?? `HTTP_${answer.status}`;
    return { kind: 'refused', reason, detail: text('error_description') ?? '' };
  }
}

const unavailable = (detail: string): TokenAnswer => ({
  kind: 'unavailable',
  reason: 'NO_ACCESS_TOKEN',
  detail,
});

function assertion(
  { clientEmail, privateKeyId, privateKey }: ServiceAccount,
  address: URL,
  now: EpochMs,
): string {
  const iat = Math.floor(now / 1_000);
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const header = part({ alg: 'RS256', typ: 'JWT', kid: privateKeyId });
  const claims = part({
    iss: clientEmail,
    scope: SCOPE,
    aud: address.href,
    iat,
    exp: iat + ASSERTION_SECONDS,
  });
  const signature = sign('sha256', Buffer.from(`${header}.${claims}`), privateKey).toString('base64url');
  return `${header}.${claims}.${signature}`;
}
