// One key at APNs: a request for each device, a provider token, and the check that reaches none.
import { createHash } from 'node:crypto';
import { sensitiveHeaders, type OutgoingHttpHeaders } from 'node:http2';
import { machineNow, type Clock, type EpochMs } from '../../../platform/clock.js';
import { HTTP2_LIMITS, type Http2Limits } from '../../../platform/http/http2-limits.js';
import { Http2Pool } from '../../../platform/http/http2-pool.js';
import type { Line } from '../over-http2/line.js';
import type { Answer } from '../over-http2/verdict.js';
import type { CredentialReport, OpenedCredential } from '../provider-port.js';
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
const IMPOSSIBLE_TOKEN = '0'.repeat(64);
/** Written without an index, so that they do not push others out of the header table (Sending notification requests to APNs). */
const SENSITIVE = ['apns-id', 'apns-collapse-id'];

export function openApnsLine(opened: OpenedCredential, options: ApnsOptions): Line | string[] {
  const credential = parseApnsCredential(opened);
  if (Array.isArray(credential)) return credential;
  const { clock, realNow = machineNow } = options;
  const pool = poolTo(credential, CONNECTIONS, options);
  const providerToken = new ProviderToken(credential, clock, realNow);
  let checked: { readonly at: number; readonly report: Promise<CredentialReport> } | undefined;
  return {
    pool,
    token: () => ({ kind: 'token', token: providerToken.get() }),
    request: (token, job, target, variant) => ({
      headers: {
        ...headersOf(credential, token, target.token),
        ...variant.headers,
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

/** The same for the same hand-over, whoever makes it: a UUID (version 8, RFC 9562 §5.8) of the firing and the device. */
export function apnsId(firingId: string, deviceId: string): string {
  const bytes = createHash('sha256').update(`${firingId} ${deviceId}`).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function headersOf({ topic }: ApnsCredential, token: string, deviceToken: string): OutgoingHttpHeaders {
  return {
    ':method': 'POST',
    ':path': `/3/device/${encodeURIComponent(deviceToken)}`,
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
  const headers = { ...headersOf(credential, token, IMPOSSIBLE_TOKEN), 'apns-push-type': 'alert' };
  const answer = await pool.request({ headers, body: '{"aps":{}}' });
  await pool.drain(0);
  if (answer.kind !== 'answered') return { good: false, says: 'APNs does not answer.' };
  return inWords(answer, credential);
}

/** The one good answer is about the token: key, team and environment were right. */
function inWords(answer: Answer, { keyId, teamId, topic, environment }: ApnsCredential): CredentialReport {
  const { outcome, isAboutToken } = judgeApnsAnswer(answer, { isProven: false, mayRemove: false, now: 0 });
  if (isAboutToken === true)
    return {
      good: true,
      says: `APNs (${environment}) takes the key ${keyId} of team ${teamId}; the topic ${topic} is proven by the first push.`,
    };
  const reason = 'reason' in outcome ? outcome.reason : 'it took a token that is none';
  switch (reason) {
    case 'InvalidProviderToken':
      return {
        good: false,
        says: `APNs refuses the key ${keyId} of team ${teamId} (${reason}): one of the three is wrong.`,
      };
    case 'ExpiredProviderToken':
      return {
        good: false,
        says: `APNs finds the token too old (${reason}): the clock of this machine is wrong.`,
      };
    case 'BadEnvironmentKeyIdInToken':
    case 'BadEnvironmentKeyInToken':
      return { good: false, says: `The key ${keyId} is not for the environment ${environment} (${reason}).` };
    case 'BadTopic':
    case 'TopicDisallowed':
    case 'DeviceTokenNotForTopic':
      return { good: false, says: `The key ${keyId} may not send for the topic ${topic} (${reason}).` };
    default:
      return { good: false, says: `APNs answered ${answer.status} (${reason}).` };
  }
}
