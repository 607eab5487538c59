// §5: the string to sign and its signature. Never decodes or normalises the target: what is sent is what is signed.
import { createHmac } from 'node:crypto';

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
