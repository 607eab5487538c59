// A command's call of one of our own APIs. Says what to do when it does not answer; never follows a redirect.
import { MOST_LISTED } from '../../platform/most-listed.js';
import { messageOf } from '../../platform/logging/error-code.js';
import type { Secret } from '../../platform/env.js';

export interface Api {
  readonly name: 'the scheduler' | 'the push service';
  readonly url: string;
  /** The environment variable of the url: the error names it when nobody answers. */
  readonly variable: string;
  readonly token: Secret;
  /** The environment variable of the token: the error names it when the token is refused. */
  readonly tokenVariable: string;
}

export interface ApiAnswer {
  readonly status: number;
  /** 2xx. */
  readonly ok: boolean;
  /** Undefined when the body is empty, or no JSON. */
  readonly json: unknown;
  readonly text: string;
}

export interface ApiContent {
  readonly type: string;
  /** Text, or bytes that are sent as they come. */
  readonly body: string | AsyncIterable<Uint8Array>;
  /** How the bytes are packed. */
  readonly encoding?: string | undefined;
}

/** Throws an Error when nobody answers. */
export async function callApi(
  { name, url, variable, token }: Api,
  method: string,
  path: string,
  content?: ApiContent,
): Promise<ApiAnswer> {
  const response = await fetch(new URL(path, url), {
    method,
    // A redirect would carry token, events and keys elsewhere.
    redirect: 'error',
    headers: {
      authorization: `Bearer ${token.reveal()}`,
      ...(content !== undefined && { 'content-type': content.type }),
      ...(content?.encoding !== undefined && { 'content-encoding': content.encoding }),
    },
    // `half`: what Node asks of bodies that stream.
    ...(content !== undefined && { body: content.body as string, duplex: 'half' }),
  }).catch((error: unknown) => {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    throw new Error(`${name} does not answer at ${url} (${variable}): ${messageOf(cause)}`, { cause: error });
  });
  const text = await response.text();
  return { status: response.status, ok: response.ok, json: jsonOf(text), text };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** An Error in the answer's own words, each problem on a line. */
export function refusalOf(
  { name, tokenVariable }: Pick<Api, 'name' | 'tokenVariable'>,
  { status, json, text }: ApiAnswer,
): Error {
  const { detail, problems } = Object(json) as { readonly detail?: unknown; readonly problems?: unknown };
  if (typeof detail !== 'string') return new Error(`${name} answered ${status}: ${text.slice(0, 500)}`);
  const found: unknown[] = Array.isArray(problems) ? problems : [];
  // One more: the line in which the answer itself counts the rest.
  const lines = found.slice(0, MOST_LISTED + 1).map((one) => {
    const { pointer, text: why } = Object(one) as { readonly pointer?: unknown; readonly text?: unknown };
    return `\n  - ${String(pointer)}: ${String(why)}`;
  });
  const token = status === 401 ? ` (it was given that of ${tokenVariable})` : '';
  return new Error(`${detail}${token}${lines.join('')}`);
}
