// What is read of a service account's JSON: four members. Its addresses are not among them, since where we send keys to
// is configuration, and never said by what somebody has uploaded.
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { jsonOf, memberOf } from '../over-http2/verdict.js';

export interface ServiceAccount {
  readonly projectId: string;
  readonly clientEmail: string;
  readonly privateKeyId: string;
  readonly privateKey: KeyObject;
}

const LEAST_BITS = 2_048;

/** The account, or all its faults; none quotes the key. */
export function parseServiceAccount(secret: string): ServiceAccount | string[] {
  const json = jsonOf(secret);
  const faults: string[] = [];
  const text = (name: string, form: RegExp): string => {
    const value = memberOf(json, name);
    if (typeof value === 'string' && form.test(value)) return value;
    faults.push(`${name} of the service account is missing or not of its form`);
    return '';
  };
  const projectId = text('project_id', /^[a-z0-9.:-]{1,100}$/);
  const clientEmail = text('client_email', /^[^\s@]{1,200}@[^\s@]{1,200}$/);
  const privateKeyId = text('private_key_id', /^[A-Za-z0-9_-]{1,100}$/);
  const privateKey = rsaKey(text('private_key', /^-----BEGIN /));
  if (privateKey === undefined && memberOf(json, 'private_key') !== undefined)
    faults.push(`private_key of the service account is no RSA key of at least ${LEAST_BITS} bits`);
  return privateKey === undefined || faults.length > 0
    ? faults
    : { projectId, clientEmail, privateKeyId, privateKey };
}

function rsaKey(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem);
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    return key.asymmetricKeyType === 'rsa' && bits >= LEAST_BITS ? key : undefined;
  } catch {
    return undefined;
  }
}
