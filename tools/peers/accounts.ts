// An account at each provider, with keys made for this run: what its owner is given, and what a peer verifies by.
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { ApnsPeer } from './apns-peer.js';
import { FcmPeer } from './fcm-peer.js';
import type { PeerOptions } from './http2-peer.js';

const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

/** Both peers, and the bodies by which management is given a credential for each. */
export interface ProviderAccounts {
  readonly fcm: FcmPeer;
  readonly apns: ApnsPeer;
  readonly bodies: { readonly fcm: object; readonly apns: object };
  /** Environment of the push service, so that it sends to the peers. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export async function openAccounts(options: PeerOptions = {}): Promise<ProviderAccounts> {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const account = { projectId: 'shop', clientEmail: 'push@shop.iam.gserviceaccount.com', privateKeyId: 'k1' };
  const apple = { keyId: 'ABCDE12345', teamId: 'TEAM123456', topic: 'com.example.shop' };
  const fcm = await FcmPeer.open({ ...account, publicKey: rsa.publicKey, ...options });
  const apns = await ApnsPeer.open({ ...apple, publicKey: ec.publicKey, ...options });
  const serviceAccount = {
    type: 'service_account',
    project_id: account.projectId,
    private_key_id: account.privateKeyId,
    private_key: pemOf(rsa.privateKey),
    client_email: account.clientEmail,
  };
  return {
    fcm,
    apns,
    bodies: {
      fcm: { serviceAccount },
      apns: { ...apple, environment: 'production', key: pemOf(ec.privateKey) },
    },
    env: {
      PUSH_FCM_URL: fcm.peer.origin,
      PUSH_FCM_TOKEN_URL: `${fcm.peer.origin}/token`,
      PUSH_APNS_URL: apns.peer.origin,
      PUSH_PROVIDER_CA: fcm.peer.ca + apns.peer.ca,
    },
    close: async () => {
      await Promise.all([fcm.peer.close(), apns.peer.close()]);
    },
  };
}
