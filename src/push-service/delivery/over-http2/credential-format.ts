// What both providers use to check their credentials and to sign with them.
import { createPrivateKey, sign, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { MOST_LISTED } from '../../../platform/most-listed.js';

export const text = (form: RegExp, error: string) => z.string({ error }).regex(form, { error });

/** Whether the text is a private key for which `isRight` returns true. */
export function isPrivateKey(pem: string, isRight: (key: KeyObject) => boolean): boolean {
  try {
    return isRight(createPrivateKey(pem));
  } catch {
    return false;
  }
}

/** Each fault begins with the member's name. No fault quotes the key. */
export function faultsOf({ issues }: z.ZodError): string[] {
  return issues.slice(0, MOST_LISTED).map(({ path, message }) => [...path, message].join(' ').slice(0, 500));
}

export function signedJwt(header: object, claims: object, key: KeyObject): string {
  const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${encoded(header)}.${encoded(claims)}`;
  // JWS has the two numbers of ES256 side by side (RFC 7518 §3.4), not as DER. For RS256 this changes nothing.
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}
