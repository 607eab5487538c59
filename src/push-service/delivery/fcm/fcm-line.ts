// One service account at FCM HTTP v1: a request for each device, a bearer token, and the check that reaches none.
import type { OutgoingHttpHeaders } from 'node:http2';
import { machineNow, type Clock, type EpochMs } from '../../../platform/clock.js';
import { HTTP2_LIMITS, type Http2Limits } from '../../../platform/http/http2-limits.js';
import { Http2Pool } from '../../../platform/http/http2-pool.js';
import type { Line, TokenAnswer } from '../over-http2/line.js';
import { jsonOf, memberOf, type Answer } from '../over-http2/verdict.js';
import type { CredentialReport, OpenedCredential } from '../provider-port.js';
import { AccessToken } from './access-token.js';
import { judgeFcmAnswer } from './fcm-answer.js';
import { fcmBody } from '../../../push-contract/payload/fcm-payload.js';
import { parseServiceAccount, type ServiceAccount } from './service-account.js';

export interface FcmOptions {
  /** `https://fcm.googleapis.com`. */
  readonly origin: string;
  /** `https://oauth2.googleapis.com/token`: where a token is asked for, and the assertion's audience. */
  readonly tokenUrl: string;
  /** Messages of one project and process at most, once ramped up. */
  readonly perSecond: number;
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly realNow?: () => EpochMs;
  readonly limits?: Http2Limits;
  /** PEM of a further authority. */
  readonly ca?: string;
}

/** Measured with answers 50 ms late: one gives 13 000 a second, two 17 000, four 20 000. */
const CONNECTIONS = 4;

/** No token of a device: FCM says so before it does anything. */
const IMPOSSIBLE_TOKEN = 'no-device';

export function openFcmLine({ secret }: OpenedCredential, options: FcmOptions): Line | string[] {
  const account = parseServiceAccount(secret);
  if (Array.isArray(account)) return account;
  const { origin, tokenUrl, clock, realNow = machineNow, perSecond } = options;
  const address = new URL(tokenUrl);
  const pool = poolTo(origin, CONNECTIONS, options);
  const tokenPool = poolTo(address.origin, 1, options);
  const access = new AccessToken({ account, pool: tokenPool, address, clock, realNow });
  const path = `/v1/projects/${account.projectId}/messages:send`;
  // The same for all devices while the token lasts.
  let shared: { readonly token: string; readonly headers: OutgoingHttpHeaders } | undefined;
  const headersOf = (token: string): OutgoingHttpHeaders => {
    if (shared?.token === token) return shared.headers;
    const headers = {
      ':method': 'POST',
      ':path': path,
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    };
    shared = { token, headers };
    return headers;
  };
  return {
    pool,
    perSecond,
    token: () => access.get(),
    request: (token, _job, target, variant) => ({
      headers: headersOf(token),
      body: fcmBody(variant.body, target.token),
    }),
    judge: judgeFcmAnswer,
    renewToken: (refused) => {
      access.drop(refused);
      return true;
    },
    check: async () => {
      const given = await access.get();
      if (given.kind !== 'token') return bad(tokenInWords(given, account, address.host));
      const body = JSON.stringify({ validate_only: true, message: { token: IMPOSSIBLE_TOKEN } });
      const answer = await pool.request({ headers: headersOf(given.token), body });
      return answer.kind === 'answered'
        ? inWords(answer, account)
        : bad(`FCM does not answer at ${origin}: ${answer.reason}.`);
    },
    close: async (ms) => {
      await Promise.all([pool.drain(ms), tokenPool.drain(ms)]);
    },
  };
}

function poolTo(origin: string, connections: number, { clock, limits, ca }: FcmOptions): Http2Pool {
  return new Http2Pool({
    origin,
    connections,
    clock,
    limits: limits ?? HTTP2_LIMITS,
    ...(ca === undefined ? {} : { tls: { ca } }),
  });
}

const bad = (says: string): CredentialReport => ({ good: false, says });

/** What Google says of an assertion it refuses, and what it comes of; its words are not documented. */
const REFUSED: readonly (readonly [said: RegExp, means: (account: ServiceAccount) => string])[] = [
  [
    /reasonable timeframe|short-lived/i,
    () => 'the clock of this machine is wrong: set it by NTP and check again',
  ],
  [
    /signature/i,
    ({ privateKeyId, clientEmail }) =>
      `the key ${privateKeyId} is none of ${clientEmail}, or was deleted: make a new key for the account`,
  ],
  [
    /account not found|not found/i,
    ({ clientEmail }) => `there is no service account ${clientEmail}: it was deleted, or is disabled`,
  ],
];

function tokenInWords(
  { kind, reason, detail }: Exclude<TokenAnswer, { kind: 'token' }>,
  account: ServiceAccount,
  host: string,
): string {
  if (kind === 'unavailable') return `Google gives no access token at ${host}: ${detail}. Try again.`;
  const means =
    REFUSED.find(([said]) => said.test(detail))?.[1](account) ??
    'its key was deleted, its account is disabled, or the clock of this machine is wrong';
  return `Google refuses the service account (${reason}): ${means}.${quoted(detail)}`;
}

/** The one good answer names the token that is none: everything before it was right. */
function inWords(answer: Answer, { projectId, clientEmail }: ServiceAccount): CredentialReport {
  const { outcome, isAboutToken } = judgeFcmAnswer(answer, { isProven: false, mayRemove: false, now: 0 });
  if (isAboutToken === true) return { good: true, says: `FCM takes messages for the project ${projectId}.` };
  const reason = 'reason' in outcome ? outcome.reason : 'it took a token that is none';
  const said = quoted(memberOf(memberOf(jsonOf(answer.body), 'error'), 'message'));
  switch (answer.status) {
    case 401:
      return bad(`FCM refuses the access token of ${clientEmail} (${reason}).${said}`);
    case 403:
      return bad(
        `${clientEmail} may not send for the project ${projectId} (${reason}): its role is missing, or the Firebase Cloud Messaging API is off there.${said}`,
      );
    case 404:
      return bad(`FCM knows no project ${projectId} (${reason}).${said}`);
    default:
      return bad(`FCM answered ${answer.status} (${reason}): try again later.${said}`);
  }
}

/** Somebody else's words, no longer than a sentence or two. */
function quoted(words: unknown): string {
  return typeof words === 'string' && words !== '' ? ` Google says: ${words.slice(0, 300)}` : '';
}
