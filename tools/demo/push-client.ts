// The demo as a client of the push interface and of its management API: what a team would write to register its users.
import { JSON_CONTENT_TYPE } from '../../src/push-contract/headers.js';
import { signedHeaders } from '../../src/push-contract/signature.js';

export interface KeyPair {
  accessKey: string;
  secretKey: string;
}

async function answerOf(response: Response, what: string): Promise<unknown> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${what} was answered ${response.status}: ${text.slice(0, 500)}`);
  return text === '' ? undefined : JSON.parse(text);
}

/** A signed call (§5). Throws with the answer's own words on any status but 2xx. */
export async function callPush(
  baseUrl: string,
  keys: KeyPair,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const response = await fetch(new URL(path, baseUrl), {
    method,
    headers: {
      ...signedHeaders(method, path, { ...keys, timestamp: Date.now() }),
      ...(body === undefined ? {} : { 'content-type': JSON_CONTENT_TYPE }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return answerOf(response, `${method} ${path}`);
}

/** A call with a bearer token: the management API, and the scheduler's. Throws likewise. */
export async function callWithToken(
  baseUrl: string,
  token: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const response = await fetch(new URL(path, baseUrl), {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return answerOf(response, `${method} ${path}`);
}
