// §5: the string to sign and its signature. Never decodes or normalises the target: what is sent is what is signed.
import { createHmac } from 'node:crypto';
import { ACCESS_KEY_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER } from './headers.js';

/**
 * `METHOD SP raw-request-target LF timestamp LF accessKey`. The target carries path and query as sent, no scheme or
 * host; the timestamp is the header's text. The body and the API key take no part.
 */
export function stringToSign(
  method: string,
  rawTarget: string,
  timestamp: string,
  accessKey: string,
): string {
  return `${method} ${rawTarget}\n${timestamp}\n${accessKey}`;
}

/** The value of the signature header: Base64 of HMAC-SHA-256 over the string to sign as UTF-8. */
export function sign(
  method: string,
  rawTarget: string,
  timestamp: string,
  accessKey: string,
  secretKey: string,
): string {
  return createHmac('sha256', secretKey)
    .update(stringToSign(method, rawTarget, timestamp, accessKey), 'utf8')
    .digest('base64');
}

/** What a request is signed with; `timestamp` in epoch milliseconds. */
export interface SignedWith {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly timestamp: number;
}

/** The headers that make a request a signed one; all but the API key, which takes no part. */
export function signedHeaders(
  method: string,
  rawTarget: string,
  { accessKey, secretKey, timestamp }: SignedWith,
): Record<string, string> {
  const written = String(timestamp);
  return {
    [TIMESTAMP_HEADER]: written,
    [ACCESS_KEY_HEADER]: accessKey,
    [SIGNATURE_HEADER]: sign(method, rawTarget, written, accessKey, secretKey),
  };
}
