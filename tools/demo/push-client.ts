// The demo as a client of the push interface and of its management API: what a team would write to register its users.
import { JSON_CONTENT_TYPE } from '../../src/push-contract/headers.js';
import { signedHeaders } from '../../src/push-contract/signature.js';

export interface KeyPair {
  accessKey: string;
  secretKey: string;
}

/** A signed call (push-interface.md §5). Throws with the answer's own words on any status but 2xx. */
export function callPush(
  { url, ...keys }: KeyPair & { url: string },
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const headers = signedHeaders(method, path, { ...keys, timestamp: Date.now() });
  return call(new URL(path, url), method, headers, body);
}

/** A call with a bearer token: the management API, and the scheduler's. Throws likewise. */
export function callWithToken(
  { url, token }: { url: string; token: string },
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  return call(new URL(path, url), method, { authorization: `Bearer ${token}` }, body);
}

async function call(
  url: URL,
  method: string,
  headers: Record<string, string>,
  body: unknown,
): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': JSON_CONTENT_TYPE }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) {
    throw new Error(`${method} ${url.href} was answered ${response.status}: ${text.slice(0, 500)}`);
  }
  return text === '' ? undefined : JSON.parse(text);
}
