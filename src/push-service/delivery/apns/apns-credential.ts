// An APNs credential: the p8 file, and the settings that it needs. The same checks run when it is set up and when it is used.
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { faultsOf, isPrivateKey, text } from '../over-http2/credential-format.js';
import type { OpenedCredential } from '../provider-port.js';

const APNS_ENVIRONMENTS = ['production', 'sandbox'] as const;
export type ApnsEnvironment = (typeof APNS_ENVIRONMENTS)[number];

const TEN = /^[A-Z0-9]{10}$/;

/** The body of the management request. */
export const ApnsCredentialBody = z.strictObject({
  key: z.string({ error: 'must be the text of the .p8 file' }).refine((pem) => isPrivateKey(pem, isP256), {
    error: 'must be the whole text of the .p8 file, which holds a P-256 private key as PEM',
  }),
  keyId: text(
    TEN,
    'must be the Key ID, ten capital letters and digits, as in the file’s name AuthKey_<Key ID>.p8',
  ),
  teamId: text(TEN, 'must be the Team ID, ten capital letters and digits, from Apple’s membership page'),
  topic: text(/^[A-Za-z0-9.-]{1,255}$/, 'must be the bundle id of the app, such as com.example.shop'),
  environment: z.enum(APNS_ENVIRONMENTS, {
    error: 'must be production, or sandbox for an app that Xcode has put on the device',
  }),
});

export interface ApnsCredential extends Readonly<Omit<z.output<typeof ApnsCredentialBody>, 'key'>> {
  readonly key: KeyObject;
}

/** Returns the credential, or all its faults. */
export function parseApnsCredential({ secret, settings }: OpenedCredential): ApnsCredential | string[] {
  const parsed = ApnsCredentialBody.safeParse({ ...settings, key: secret });
  if (!parsed.success) return faultsOf(parsed.error);
  return { ...parsed.data, key: createPrivateKey(parsed.data.key) };
}

function isP256({ asymmetricKeyDetails }: KeyObject): boolean {
  return asymmetricKeyDetails?.namedCurve === 'prime256v1';
}
