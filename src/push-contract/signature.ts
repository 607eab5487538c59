// push-interface.md §5: the string to sign, and its signature. Never decodes or normalises the target: it is signed as it is
// sent.
import { createHmac } from 'node:crypto';
import { ACCESS_KEY_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER } from './headers.js';

/** What is signed of a request. The body and the API key are not signed. */
export interface SignatureInput {
  readonly method: string;
  /** Path and query as sent, without scheme and host. */
  readonly rawTarget: string;
  /** The header's value. */
  readonly timestamp: string;
  readonly accessKey: string;
}

/** `METHOD SP raw-request-target LF timestamp LF accessKey`. */
export function stringToSign({ method, rawTarget, timestamp, accessKey }: SignatureInput): string {
  return `${method} ${rawTarget}\n${timestamp}\n${accessKey}`;
}

/** The value of the signature header: Base64 of HMAC-SHA-256 over the string to sign as UTF-8. */
export function sign(input: SignatureInput, secretKey: string): string {
  return createHmac('sha256', secretKey).update(stringToSign(input), 'utf8').digest('base64');
}

/** What signs a request. `timestamp` is in milliseconds since 1970. */
export interface SignedWith {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly timestamp: number;
}

/** The headers that sign a request. They do not include the API key, because it is not signed. */
export function signedHeaders(
  method: string,
  rawTarget: string,
  { accessKey, secretKey, timestamp }: SignedWith,
): Record<string, string> {
  const written = String(timestamp);
  return {
    [TIMESTAMP_HEADER]: written,
    [ACCESS_KEY_HEADER]: accessKey,
    [SIGNATURE_HEADER]: sign({ method, rawTarget, timestamp: written, accessKey }, secretKey),
  };
}
