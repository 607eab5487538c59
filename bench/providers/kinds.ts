// FCM and APNs as the bench speaks to them: what one push is, and the adapter that makes it.
import { generateKeyPairSync } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http2';
import { SystemClock } from '../../src/platform/clock.js';
import { createLog } from '../../src/platform/logging/log.js';
import { ApnsProvider } from '../../src/push-service/delivery/apns/apns-provider.js';
import { FcmProvider } from '../../src/push-service/delivery/fcm/fcm-provider.js';
import type { Http2Provider } from '../../src/push-service/delivery/over-http2/http2-provider.js';
import type { CredentialSource, OpenedCredential } from '../../src/push-service/delivery/provider-port.js';
import type { Variant } from '../../src/push-contract/payload/render.js';
import type { BareTarget } from './bare-loop.js';

export interface Kind {
  readonly name: 'FCM' | 'APNs';
  readonly kind: 'fcm' | 'apns';
  readonly deviceType: 'GCM' | 'APNS';
  /** As many as the adapter opens. */
  readonly connections: number;
  /** A push as the adapter makes it; `at` distinguishes devices. */
  headersOf(at: number): OutgoingHttpHeaders;
  bodyOf(at: number): string;
  readonly variant: Variant;
  /** The body by which management is given the credential. */
  readonly credential: object;
  adapter(target: BareTarget): Http2Provider;
}

/** Tokens are as long as the provider's own. */
export const tokenOf = (at: number, length: number): string => String(at).padStart(length, 't');

const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const account = {
  type: 'service_account',
  project_id: 'bench',
  private_key_id: 'k1',
  private_key: rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  client_email: 'push@bench.iam.gserviceaccount.com',
};
export const apple = {
  keyId: 'ABCDE12345',
  teamId: 'TEAM123456',
  topic: 'com.example.bench',
  environment: 'production',
} as const;
export const p8 = ec.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** Nothing of the pace is to come from a rate that is agreed with Google. */
export const FCM_RATE = 100_000;

function parts(opened: OpenedCredential) {
  const credentials: CredentialSource = {
    open: () => Promise.resolve(opened),
    existing: (ids) => Promise.resolve(new Set(ids)),
    learned: () => undefined,
  };
  return { credentials, clock: new SystemClock(), log: createLog('bench', 'silent') };
}

const fcmBody = JSON.stringify({ data: { content: 'the news of the day', campaign: 'bench' } });
const FCM: Kind = {
  name: 'FCM',
  kind: 'fcm',
  deviceType: 'GCM',
  connections: 4,
  headersOf: () => ({
    ':method': 'POST',
    ':path': '/v1/projects/bench/messages:send',
    authorization: 'Bearer bench',
    'content-type': 'application/json',
  }),
  bodyOf: (at) => `{"message":{"token":"${tokenOf(at, 140)}",${fcmBody.slice(1)}}`,
  variant: { deviceType: 'GCM', language: 'ko', headers: {}, body: fcmBody },
  credential: { serviceAccount: account },
  adapter: ({ url, ca }) => {
    const opened = { serviceId: 'bench', secret: JSON.stringify(account), settings: {}, isProven: true };
    return new FcmProvider({
      ...parts(opened),
      origin: url,
      tokenUrl: `${url}/token`,
      ca,
      perSecond: FCM_RATE,
    });
  },
};

export const apnsBody = JSON.stringify({ campaign: 'bench', aps: { alert: 'the news of the day' } });
export const APNS: Kind = {
  name: 'APNs',
  kind: 'apns',
  deviceType: 'APNS',
  connections: 2,
  headersOf: (at) => ({
    ':method': 'POST',
    ':path': `/3/device/${tokenOf(at, 64)}`,
    authorization: `bearer ${'j'.repeat(180)}`,
    'apns-topic': apple.topic,
    'apns-push-type': 'alert',
    'apns-id': `8f14e45f-ceea-867a-8d2a-${String(at).padStart(12, '0')}`,
  }),
  bodyOf: () => apnsBody,
  variant: { deviceType: 'APNS', language: 'ko', headers: { 'apns-push-type': 'alert' }, body: apnsBody },
  credential: { ...apple, key: p8 },
  adapter: ({ url, ca }) => {
    const opened = { serviceId: 'bench', secret: p8, settings: apple, isProven: true };
    return new ApnsProvider({ ...parts(opened), origins: { production: url, sandbox: url }, ca });
  },
};

export const KINDS: readonly Kind[] = [APNS, FCM];
