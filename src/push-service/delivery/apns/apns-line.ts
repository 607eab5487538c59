// One key at APNs: a request for each device, a provider token, and the check that reaches none.
import { hash } from 'node:crypto';
import { sensitiveHeaders, type OutgoingHttpHeaders } from 'node:http2';
import { machineNow, type Clock, type EpochMs } from '../../../platform/clock.js';
import { HTTP2_LIMITS, type Http2Limits } from '../../../platform/http/http2-limits.js';
import { Http2Pool } from '../../../platform/http/http2-pool.js';
import type { Line } from '../over-http2/line.js';
import type { Answer } from '../over-http2/verdict.js';
import type { CredentialReport, OpenedCredential } from '../provider-port.js';
import type { Variant } from '../../../push-contract/payload/render.js';
import { judgeApnsAnswer } from './apns-answer.js';
import { parseApnsCredential, type ApnsCredential, type ApnsEnvironment } from './apns-credential.js';
import { ProviderToken } from './provider-token.js';

export interface ApnsOptions {
  /** `https://api.push.apple.com` and `https://api.sandbox.push.apple.com`. */
  readonly origins: Readonly<Record<ApnsEnvironment, string>>;
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly realNow?: () => EpochMs;
  readonly limits?: Http2Limits;
  /** PEM of a further authority. */
  readonly ca?: string;
}

const CONNECTIONS = 2;
/** Apple blocks who sends many refused tokens; a check sends one. */
const CHECK_EVERY_MS = 60_000;
/**
 * Apple's have 64 characters, or up to 160. A path of kilobytes might cost the connection, with whatever else is open on it.
 */
const MAX_TOKEN_LENGTH = 200;
const IMPOSSIBLE_TOKEN = '0'.repeat(64);
/** Written without an index, so that they do not push others out of the header table (Sending notification requests to APNs). */
const SENSITIVE = ['apns-id', 'apns-collapse-id'];

export function openApnsLine(opened: OpenedCredential, options: ApnsOptions): Line | string[] {
  const credential = parseApnsCredential(opened);
  if (Array.isArray(credential)) return credential;
  const { clock, realNow = machineNow } = options;
  const pool = poolTo(credential, CONNECTIONS, options);
  const providerToken = new ProviderToken(credential, clock, realNow);
  const shared = new SharedHeaders(credential);
  let checked: { readonly at: number; readonly report: Promise<CredentialReport> } | undefined;
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
    check: () => {
      const now = clock.elapsed();
      if (checked === undefined || now - checked.at >= CHECK_EVERY_MS)
        checked = { at: now, report: check(credential, providerToken.get(), options) };
      return checked.report;
    },
    close: (ms) => pool.drain(ms),
  };
}

/**
 * The same for the same hand-over, whoever makes it: a UUID (version 8, RFC 9562 §5.8) of the firing and the device. Hashed in
 * one call: a Hash object for each device takes four times as long, and memory that only a collection gives back.
 */
export function apnsId(firingId: string, deviceId: string): string {
  const hex = hash('sha256', `${firingId} ${deviceId}`, 'hex');
  const variant = (0x8 | (0x3 & parseInt(hex.charAt(16), 16))).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** What the requests of a variant have in common, made once; `:path` and `apns-id` are each device's own. */
class SharedHeaders {
  /** By the variant itself, which its rendering holds as long as its chunks come by. */
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

/** Without a path yet. */
function headersOf({ topic }: ApnsCredential, token: string): OutgoingHttpHeaders {
  return {
    ':method': 'POST',
    ':path': '',
    authorization: `bearer ${token}`,
    'apns-topic': topic,
    [sensitiveHeaders]: SENSITIVE,
  };
}

function poolTo({ environment }: ApnsCredential, connections: number, options: ApnsOptions): Http2Pool {
  const { origins, clock, limits, ca } = options;
  return new Http2Pool({
    origin: origins[environment],
    connections,
    clock,
    limits: limits ?? HTTP2_LIMITS,
    ...(ca === undefined ? {} : { tls: { ca } }),
  });
}

/** On a connection of its own: what sends is bound to what it sent first. */
async function check(
  credential: ApnsCredential,
  token: string,
  options: ApnsOptions,
): Promise<CredentialReport> {
  const pool = poolTo(credential, 1, options);
  const headers = {
    ...headersOf(credential, token),
    ':path': pathOf(IMPOSSIBLE_TOKEN),
    'apns-push-type': 'alert',
  };
  const answer = await pool.request({ headers, body: '{"aps":{}}' });
  await pool.drain(0);
  if (answer.kind !== 'answered')
    return {
      good: false,
      says: `APNs does not answer at ${options.origins[credential.environment]}: ${answer.reason}.`,
    };
  return inWords(answer, credential);
}

/** The one good answer is about the token: key, team and environment were right. */
function inWords(answer: Answer, credential: ApnsCredential): CredentialReport {
  const { keyId, teamId, topic, environment } = credential;
  const { outcome, isAboutToken } = judgeApnsAnswer(answer, { isProven: false, mayRemove: false, now: 0 });
  if (isAboutToken === true)
    return {
      good: true,
      says: `APNs (${environment}) takes the key ${keyId} of team ${teamId}; the topic ${topic} is proven by the first push.`,
    };
  const reason = 'reason' in outcome ? outcome.reason : 'it took a token that is none';
  return { good: false, says: `${refusedInWords(reason, answer.status, credential)} (${reason}).` };
}

function refusedInWords(reason: string, status: number, credential: ApnsCredential): string {
  const { keyId, teamId, topic, environment } = credential;
  switch (reason) {
    case 'InvalidProviderToken':
      return `APNs does not know the key: ${keyId} is no key of team ${teamId} or was revoked, the .p8 file is another key’s, or the clock of this machine is ahead`;
    case 'ExpiredProviderToken':
      return 'APNs finds the token too old: the clock of this machine is behind, set it by NTP';
    case 'BadEnvironmentKeyIdInToken':
    case 'BadEnvironmentKeyInToken':
      return `The key ${keyId} is not for the environment ${environment}`;
    case 'UnrelatedKeyIdInToken':
      return `The key ${keyId} is of another team than ${teamId}, or not for the topic ${topic}`;
    case 'BadTopic':
    case 'TopicDisallowed':
    case 'DeviceTokenNotForTopic':
      return `The key ${keyId} may not send for the topic ${topic}: it must be the bundle id of an app of team ${teamId}`;
    case 'TooManyProviderTokenUpdates':
      return `APNs was given too many tokens of the key ${keyId}: wait 20 minutes, and see who else signs with it`;
    default:
      return `APNs answered ${status}: try again later`;
  }
}
