// What is read of an APNs credential: the p8 file, and the settings it is useless without.
import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { OpenedCredential } from '../provider-port.js';

export const APNS_ENVIRONMENTS = ['production', 'sandbox'] as const;
export type ApnsEnvironment = (typeof APNS_ENVIRONMENTS)[number];

export interface ApnsCredential {
  readonly key: KeyObject;
  readonly keyId: string;
  readonly teamId: string;
  readonly topic: string;
  readonly environment: ApnsEnvironment;
}

/** The credential, or all its faults; none quotes the key. */
export function parseApnsCredential({ secret, settings }: OpenedCredential): ApnsCredential | string[] {
  const faults: string[] = [];
  const text = (name: string, form: RegExp, says: string): string => {
    const value = settings[name];
    if (typeof value === 'string' && form.test(value)) return value;
    faults.push(`${name} must be ${says}`);
    return '';
  };
  const keyId = text('keyId', /^[A-Z0-9]{10}$/, 'ten capital letters and digits');
  const teamId = text('teamId', /^[A-Z0-9]{10}$/, 'ten capital letters and digits');
  const topic = text('topic', /^[A-Za-z0-9.-]{1,255}$/, 'the bundle id of the app');
  const environment = APNS_ENVIRONMENTS.find((name) => name === settings['environment']);
  if (environment === undefined) faults.push(`environment must be one of ${APNS_ENVIRONMENTS.join(', ')}`);
  const key = p256Key(secret);
  if (key === undefined) faults.push('the p8 file holds no P-256 private key');
  return key === undefined || environment === undefined || faults.length > 0
    ? faults
    : { key, keyId, teamId, topic, environment };
}

function p256Key(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
}
