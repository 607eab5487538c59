// Provider credentials as their owners give them out, with keys made for this run.
import { generateKeyPairSync, type KeyObject } from 'node:crypto';

const RSA = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const EC = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** What the peers verify by. */
export const FCM_PUBLIC_KEY = RSA.publicKey;
export const APNS_PUBLIC_KEY = EC.publicKey;

/** The text of a key file. */
export const pemOf = ({ privateKey }: { readonly privateKey: KeyObject }): string =>
  privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** The JSON that Google gives out, its addresses among it; members given take the place of its own. */
export function serviceAccount(
  members: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  return {
    type: 'service_account',
    project_id: 'shop',
    private_key_id: 'k1',
    private_key: pemOf(RSA),
    client_email: 'push@shop.iam.gserviceaccount.com',
    token_uri: 'https://elsewhere.example/token',
    ...members,
  };
}

/** The body of a PUT, with the .p8 file's text. */
export function apnsCredential(members: Readonly<Record<string, string>> = {}) {
  return {
    key: pemOf(EC),
    keyId: 'ABCDE12345',
    teamId: 'TEAM123456',
    topic: 'com.example.shop',
    environment: 'production',
    ...members,
  };
}
