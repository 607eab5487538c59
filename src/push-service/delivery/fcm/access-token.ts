// The bearer token of a service account (RFC 7523). It is fetched once for all who ask, and renewed before its end. If that
// fails, it is used to its end.
import type { Clock, EpochMs } from '../../../platform/clock.js';
import type { Http2Pool } from '../../../platform/http2/http2-pool.js';
import { signedJwt } from '../over-http2/credential-format.js';
import { jsonOf, memberOf, textOf } from '../over-http2/judged-answer.js';
import type { TokenAnswer } from '../over-http2/provider-client.js';
import type { ServiceAccount } from './service-account.js';

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
const ASSERTION_SECONDS = 3_600;
/** A token is renewed this long before its end, while it is still in use. */
const AHEAD_MS = 300_000;
/** The time between two tries to renew a token that is still valid. */
const AGAIN_MS = 10_000;

export interface AccessTokenOptions {
  readonly account: ServiceAccount;
  /** Connections to the host of `address`. */
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

  /** Drops the refused token; keeps a newer one. */
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
    const token = textOf(json, 'access_token');
    const seconds = Number(memberOf(json, 'expires_in'));
    if (answer.status === 200 && token !== undefined && seconds > 0) {
      this.#held = { token, until: askedAt + seconds * 1_000 };
      return { kind: 'token', token };
    }
    const isRefused = answer.status >= 400 && answer.status < 500 && answer.status !== 429;
    if (!isRefused) return unavailable(`it answered ${answer.status}`);
    const reason = textOf(json, 'error') ?? `HTTP_${answer.status}`;
    return { kind: 'refused', reason, detail: textOf(json, 'error_description') ?? '' };
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
  const claims = { iss: clientEmail, scope: SCOPE, aud: address.href, iat, exp: iat + ASSERTION_SECONDS };
  return signedJwt({ alg: 'RS256', typ: 'JWT', kid: privateKeyId }, claims, privateKey);
}
