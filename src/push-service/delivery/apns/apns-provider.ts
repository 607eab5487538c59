// Apple devices through APNs: a request for each device, the provider token of a key, and the check that reaches no device.
import { hash } from 'node:crypto';
import { sensitiveHeaders, type OutgoingHttpHeaders } from 'node:http2';
import { Http2Provider, type Http2ProviderOptions } from '../over-http2/http2-provider.js';
import { reportOn, type ClientDeps, type ProviderClient } from '../over-http2/provider-client.js';
import type { CredentialReport } from '../provider-port.js';
import type { Variant } from '../../../push-contract/payload/render.js';
import { judgeApnsAnswer } from './apns-answer.js';
import { parseApnsCredential, type ApnsCredential, type ApnsEnvironment } from './apns-credential.js';
import { ProviderToken } from './provider-token.js';

export interface ApnsOptions extends Http2ProviderOptions {
  /** `https://api.push.apple.com` and `https://api.sandbox.push.apple.com`. */
  readonly origins: Readonly<Record<ApnsEnvironment, string>>;
}

const CONNECTIONS = 2;
/**
 * Apple's tokens have 64 characters, or up to 160. A longer path might end the connection, with all requests that are open on it.
 */
const MAX_TOKEN_LENGTH = 200;
const IMPOSSIBLE_TOKEN = '0'.repeat(64);
/**
 * HTTP/2 does not index these, so that they do not push others out of the header table (Sending notification requests to APNs).
 */
const SENSITIVE = ['apns-id', 'apns-collapse-id'];

export class ApnsProvider extends Http2Provider {
  constructor(options: ApnsOptions) {
    super(options, (opened, deps) => {
      const credential = parseApnsCredential(opened);
      if (Array.isArray(credential)) return credential;
      return clientOf(credential, options.origins[credential.environment], deps);
    });
  }
}

function clientOf(credential: ApnsCredential, origin: string, deps: ClientDeps): ProviderClient {
  const { poolTo, clock, realNow } = deps;
  const pool = poolTo(origin, CONNECTIONS);
  const providerToken = new ProviderToken(credential, clock, realNow);
  const shared = new SharedHeaders(credential);
  return {
    pool,
    token: () => ({ kind: 'token', token: providerToken.get() }),
    refuses: (deviceToken) => (deviceToken.length > MAX_TOKEN_LENGTH ? 'BadDeviceToken' : undefined),
    request: (token, job, target, variant) => ({
      headers: {
        ...shared.of(token, variant),
        ':path': pathOf(target.token),
        'apns-id': apnsId(job.firingId, target.deviceId),
      },
      body: variant.body,
    }),
    judge: judgeApnsAnswer,
    renewToken: (refused) => providerToken.renew(refused),
    check: () => check(credential, origin, providerToken.get(), poolTo),
    close: (ms) => pool.drain(ms),
  };
}

/**
 * A UUID (version 8, RFC 9562 §5.8) of the firing and the device: the same for the same push, whichever process sends it. Hashed
 * in one call: a Hash object for each device takes four times as long, and memory that only the garbage collector frees.
 */
export function apnsId(firingId: string, deviceId: string): string {
  const hex = hash('sha256', `${firingId} ${deviceId}`, 'hex');
  const variant = (0x8 | (0x3 & parseInt(hex.charAt(16), 16))).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The headers that all requests of a variant share, made once. `:path` and `apns-id` differ by device. */
class SharedHeaders {
  /** By the variant object, which is the same for all chunks of a firing (rendering.ts). */
  readonly #made = new WeakMap<Variant, { readonly token: string; readonly headers: OutgoingHttpHeaders }>();

  constructor(private readonly credential: ApnsCredential) {}

  of(token: string, variant: Variant): OutgoingHttpHeaders {
    const made = this.#made.get(variant);
    if (made?.token === token) return made.headers;
    const headers = { ...headersOf(this.credential, token), ...variant.headers };
    this.#made.set(variant, { token, headers });
    return headers;
  }
}

function pathOf(deviceToken: string): string {
  return `/3/device/${encodeURIComponent(deviceToken)}`;
}

/** The path is set later. */
function headersOf({ topic }: ApnsCredential, token: string): OutgoingHttpHeaders {
  return {
    ':method': 'POST',
    ':path': '',
    authorization: `bearer ${token}`,
    'apns-topic': topic,
    [sensitiveHeaders]: SENSITIVE,
  };
}

/** Uses a connection of its own, because APNs binds a connection to the first key that it sees. */
async function check(
  credential: ApnsCredential,
  origin: string,
  token: string,
  poolTo: ClientDeps['poolTo'],
): Promise<CredentialReport> {
  const { keyId, teamId, topic, environment } = credential;
  const pool = poolTo(origin, 1);
  const headers = {
    ...headersOf(credential, token),
    ':path': pathOf(IMPOSSIBLE_TOKEN),
    'apns-push-type': 'alert',
  };
  const answer = await pool.request({ headers, body: '{"aps":{}}' });
  await pool.drain(0);
  return reportOn(answer, judgeApnsAnswer, `APNs does not answer at ${origin}`, {
    good: `APNs (${environment}) takes the key ${keyId} of team ${teamId}. The first push proves the topic ${topic}.`,
    refused: (reason, { status }) => {
      const words = REFUSED[reason]?.(credential) ?? `APNs answered ${status}: try again later`;
      return `${words} (${reason}).`;
    },
  });
}

type InWords = (credential: ApnsCredential) => string;

const otherEnvironment: InWords = ({ keyId, environment }) =>
  `The key ${keyId} is not for the environment ${environment}`;
const otherTopic: InWords = ({ keyId, topic, teamId }) =>
  `The key ${keyId} may not send for the topic ${topic}: the topic must be the bundle id of an app of team ${teamId}`;

/** What a refusal means, by APNs' reason. */
const REFUSED: Readonly<Record<string, InWords>> = {
  InvalidProviderToken: ({ keyId, teamId }) =>
    `APNs does not know the key: ${keyId} is no key of team ${teamId} or was revoked, the .p8 file belongs to another key, or the clock of this machine is ahead`,
  ExpiredProviderToken: () =>
    'APNs finds the token too old: the clock of this machine is behind, so set it by NTP',
  BadEnvironmentKeyIdInToken: otherEnvironment,
  BadEnvironmentKeyInToken: otherEnvironment,
  UnrelatedKeyIdInToken: ({ keyId, teamId, topic }) =>
    `The key ${keyId} belongs to another team than ${teamId}, or is not for the topic ${topic}`,
  BadTopic: otherTopic,
  TopicDisallowed: otherTopic,
  DeviceTokenNotForTopic: otherTopic,
  TooManyProviderTokenUpdates: ({ keyId }) =>
    `APNs was given too many tokens of the key ${keyId}: wait 20 minutes, and find out who else signs with it`,
};
