// What an APNs credential is: the p8 file, and the settings it is useless without. The one place that says what each
// must be, to whoever sets one up and to whoever sends under it.
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import type { OpenedCredential } from '../provider-port.js';

export const APNS_ENVIRONMENTS = ['production', 'sandbox'] as const;
export type ApnsEnvironment = (typeof APNS_ENVIRONMENTS)[number];

const text = (form: RegExp, error: string) => z.string({ error }).regex(form, { error });
const TEN = /^[A-Z0-9]{10}$/;

/** As it is given to management. */
export const ApnsCredentialBody = z.strictObject({
  key: z.string({ error: 'must be the text of the .p8 file' }).refine((pem) => p256Key(pem) !== undefined, {
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

export interface ApnsCredential {
  readonly key: KeyObject;
  readonly keyId: string;
  readonly teamId: string;
  readonly topic: string;
  readonly environment: ApnsEnvironment;
}

/** The credential, or all its faults, each beginning with the member's name; none quotes the key. */
export function parseApnsCredential({ secret, settings }: OpenedCredential): ApnsCredential | string[] {
  const parsed = ApnsCredentialBody.safeParse({ ...settings, key: secret });
  if (!parsed.success) return parsed.error.issues.map(({ path, message }) => [...path, message].join(' '));
  return { ...parsed.data, key: createPrivateKey(parsed.data.key) };
}

function p256Key(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
}
