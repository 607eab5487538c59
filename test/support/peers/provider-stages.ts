// FCM and APNs as the port's specs need them: an adapter, and a peer of its own that verifies keys and headers with other
// means than ours.
import { generateKeyPairSync } from 'node:crypto';
import type { SteppedClock } from '../../../src/platform/clock.js';
import { HTTP2_LIMITS } from '../../../src/platform/http2/http2-limits.js';
import { createLog } from '../../../src/platform/logging/log.js';
import { ApnsProvider } from '../../../src/push-service/delivery/apns/apns-provider.js';
import { FcmProvider } from '../../../src/push-service/delivery/fcm/fcm-provider.js';
import type { Http2Provider } from '../../../src/push-service/delivery/over-http2/http2-provider.js';
import type {
  CredentialNews,
  CredentialRef,
  CredentialSource,
  OpenedCredential,
} from '../../../src/push-service/delivery/provider-port.js';
import type { Variant } from '../../../src/push-contract/payload/render.js';
import { ApnsPeer, apnsError } from '../../../tools/peers/apns-peer.js';
import { fcmError, FcmPeer } from '../../../tools/peers/fcm-peer.js';
import type { Http2Peer, PeerAct } from '../../../tools/peers/http2-peer.js';
import type { Tally } from '../../../tools/peers/tally.js';

const RSA = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const EC = generateKeyPairSync('ec', { namedCurve: 'P-256' });
export const LIMITS = { ...HTTP2_LIMITS, tickMs: 10, gapMs: 20, backOffMs: 50, requestMs: 5_000 };
const log = createLog('spec', 'silent');

export interface Stage {
  readonly kind: 'fcm' | 'apns';
  readonly provider: Http2Provider;
  readonly peer: Http2Peer;
  readonly tally: Tally;
  /** An answer that says that the credential is wrong. */
  readonly wrongCredential: PeerAct;
  readonly messageRefused: PeerAct;
  /** Too much goes to this one device. */
  readonly deviceLimited: PeerAct;
  readonly badToken: PeerAct;
}

export class FakeCredentials implements CredentialSource {
  readonly news: CredentialNews[] = [];
  opened: OpenedCredential | 'unreadable' | undefined;
  /** How often it was asked for a secret. */
  opens = 0;
  isRemoved = false;
  open(): Promise<OpenedCredential | 'unreadable' | undefined> {
    this.opens += 1;
    return Promise.resolve(this.opened);
  }
  existing(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return Promise.resolve(new Set(this.isRemoved ? [] : ids));
  }
  learned(_credential: CredentialRef, news: CredentialNews): void {
    this.news.push(news);
  }
}

export async function fcmStage(
  credentials: FakeCredentials,
  clock: SteppedClock,
  limits = LIMITS,
): Promise<Stage> {
  const account = { projectId: 'shop', clientEmail: 'push@shop.iam.gserviceaccount.com', privateKeyId: 'k1' };
  const fcm = await FcmPeer.open({ ...account, publicKey: RSA.publicKey });
  const { origin, ca } = fcm.peer;
  credentials.opened = {
    serviceId: 'shop',
    secret: JSON.stringify({
      project_id: account.projectId,
      client_email: account.clientEmail,
      private_key_id: account.privateKeyId,
      private_key: RSA.privateKey.export({ type: 'pkcs8', format: 'pem' }),
      token_uri: 'https://elsewhere.example/token',
    }),
    settings: {},
    isProven: false,
  };
  const addresses = { origin, tokenUrl: `${origin}/token`, ca, limits, perSecond: 9_000 };
  const provider = new FcmProvider({ ...addresses, credentials, clock, log, abortMs: 200 });
  const wrong = 'INVALID_ARGUMENT';
  return {
    kind: 'fcm',
    provider,
    peer: fcm.peer,
    tally: fcm.tally,
    wrongCredential: fcmError(403, 'PERMISSION_DENIED'),
    messageRefused: fcmError(400, wrong, wrong),
    deviceLimited: fcmError(429, 'RESOURCE_EXHAUSTED', 'QUOTA_EXCEEDED', {
      violations: [{ subject: 'device:d0', description: 'Device message rate exceeded' }],
    }),
    badToken: fcmError(400, wrong, wrong, { fieldViolations: [{ field: 'message.token' }] }),
  };
}

export async function apnsStage(
  credentials: FakeCredentials,
  clock: SteppedClock,
  limits = LIMITS,
): Promise<Stage> {
  const settings = { keyId: 'ABCDE12345', teamId: 'TEAM123456', topic: 'com.example.shop' };
  const apns = await ApnsPeer.open({ ...settings, publicKey: EC.publicKey });
  const { origin, ca } = apns.peer;
  const secret = EC.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  credentials.opened = {
    serviceId: 'shop',
    secret,
    settings: { ...settings, environment: 'production' },
    isProven: false,
  };
  const origins = { production: origin, sandbox: 'https://127.0.0.1:9' };
  const provider = new ApnsProvider({ origins, ca, limits, credentials, clock, log, abortMs: 200 });
  return {
    kind: 'apns',
    provider,
    peer: apns.peer,
    tally: apns.tally,
    wrongCredential: apnsError(403, 'InvalidProviderToken'),
    messageRefused: apnsError(413, 'PayloadTooLarge'),
    deviceLimited: apnsError(429, 'TooManyRequests'),
    badToken: apnsError(400, 'BadDeviceToken'),
  };
}

/** A variant of the kind's device type. */
export function variantOf(kind: CredentialRef['kind']): Variant {
  return kind === 'apns'
    ? {
        deviceType: 'APNS',
        language: 'ko',
        headers: { 'apns-push-type': 'alert', 'apns-collapse-id': 'order-7' },
        body: '{"aps":{"alert":"hello"}}',
      }
    : { deviceType: 'GCM', language: 'ko', headers: {}, body: '{"data":{"content":"hello"}}' };
}
