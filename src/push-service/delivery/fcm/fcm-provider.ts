// Android devices through FCM HTTP v1: a request for each device, the bearer token of a service account, and the check that
// reaches no device.
import type { OutgoingHttpHeaders } from 'node:http2';
import { Http2Provider, type Http2ProviderOptions } from '../over-http2/http2-provider.js';
import { jsonOf, memberOf, textOf, type Answer } from '../over-http2/judged-answer.js';
import {
  reportOn,
  type ClientDeps,
  type ProviderClient,
  type TokenAnswer,
} from '../over-http2/provider-client.js';
import { AccessToken } from './access-token.js';
import { judgeFcmAnswer } from './fcm-answer.js';
import { fcmBody } from '../../../push-contract/payload/fcm-payload.js';
import { parseServiceAccount, type ServiceAccount } from './service-account.js';

export interface FcmOptions extends Http2ProviderOptions {
  /** `https://fcm.googleapis.com`. */
  readonly origin: string;
  /** `https://oauth2.googleapis.com/token`: the token endpoint, which is also the audience of the assertion. */
  readonly tokenUrl: string;
  /** The most messages a second of one project and process, once ramped up. */
  readonly perSecond: number;
}

/** Measured with answers after 50 ms: one connection gives 13 000 requests a second, two give 17 000, four give 20 000. */
const CONNECTIONS = 4;

/** The token of no device: FCM says so before it does anything. */
const IMPOSSIBLE_TOKEN = 'no-device';

export class FcmProvider extends Http2Provider {
  constructor(options: FcmOptions) {
    super(options, ({ secret }, deps) => {
      const account = parseServiceAccount(secret);
      return Array.isArray(account) ? account : clientOf(account, options, deps);
    });
  }
}

function clientOf(
  account: ServiceAccount,
  { origin, tokenUrl, perSecond }: FcmOptions,
  { poolTo, clock, realNow }: ClientDeps,
): ProviderClient {
  const address = new URL(tokenUrl);
  const pool = poolTo(origin, CONNECTIONS);
  const tokenPool = poolTo(address.origin, 1);
  const access = new AccessToken({ account, pool: tokenPool, address, clock, realNow });
  const path = `/v1/projects/${account.projectId}/messages:send`;
  // All devices share one object while the token is valid.
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
      if (given.kind !== 'token') return { good: false, says: tokenInWords(given, account, address.host) };
      const body = JSON.stringify({ validate_only: true, message: { token: IMPOSSIBLE_TOKEN } });
      const answer = await pool.request({ headers: headersOf(given.token), body });
      return reportOn(answer, judgeFcmAnswer, `FCM does not answer at ${origin}`, {
        good: `FCM takes messages for the project ${account.projectId}.`,
        refused: (reason, refusal) => refusedInWords(reason, refusal, account),
      });
    },
    close: async (ms) => {
      await Promise.all([pool.drain(ms), tokenPool.drain(ms)]);
    },
  };
}

/** What Google's text means when it refuses an assertion. Google does not document these texts. */
const REFUSED: readonly (readonly [said: RegExp, means: (account: ServiceAccount) => string])[] = [
  [
    /reasonable timeframe|short-lived/i,
    () => 'the clock of this machine is wrong: set it by NTP and check again',
  ],
  [
    /signature/i,
    ({ privateKeyId, clientEmail }) =>
      `the key ${privateKeyId} is no key of ${clientEmail}, or was deleted: make a new key for the account`,
  ],
  [
    /account not found|not found/i,
    ({ clientEmail }) => `there is no service account ${clientEmail}: somebody deleted or disabled it`,
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

function refusedInWords(
  reason: string,
  { status, body }: Answer,
  { projectId, clientEmail }: ServiceAccount,
): string {
  const said = quoted(textOf(memberOf(jsonOf(body), 'error'), 'message'));
  switch (status) {
    case 401:
      return `FCM refuses the access token of ${clientEmail} (${reason}).${said}`;
    case 403:
      return `${clientEmail} may not send for the project ${projectId} (${reason}): its role is missing, or the Firebase Cloud Messaging API is off there.${said}`;
    case 404:
      return `FCM knows no project ${projectId} (${reason}).${said}`;
    default:
      return `FCM answered ${status} (${reason}): try again later.${said}`;
  }
}

/** Google's words, cut to a sentence or two. */
function quoted(words = ''): string {
  return words === '' ? '' : ` Google says: ${words.slice(0, 300)}`;
}
