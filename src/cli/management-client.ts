// The management API of the push service as the carillon-push command calls it. Says what to do when it does not answer.
import { processEnvironment } from '../platform/env.js';
import { UsageError } from './usage-error.js';

export type Body = Readonly<Record<string, unknown>>;

/**
 * The answer's JSON, or undefined when it has none, of the push service at MANAGEMENT_URL (default http://127.0.0.1:3201).
 * Throws a UsageError for an environment that cannot be used, an Error with the answer's own words for a refusal.
 */
export async function callManagement(method: string, path: string, body?: Body): Promise<unknown> {
  const { MANAGEMENT_URL: given, MANAGEMENT_TOKEN: token } = processEnvironment();
  // An empty variable, as an .env file writes it, is none.
  const url = given || 'http://127.0.0.1:3201';
  if (!URL.canParse(url)) throw new UsageError('MANAGEMENT_URL is no URL');
  if (!token)
    throw new UsageError('MANAGEMENT_TOKEN is not set: it is the token the push service was started with');
  const content = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(new URL(path, url), {
    method,
    headers: { authorization: `Bearer ${token}`, ...content },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    const cause =
      error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new Error(`the push service does not answer at ${url} (MANAGEMENT_URL): ${cause}`, {
      cause: error,
    });
  });
  const text = await response.text();
  if (!response.ok) throw new Error(refusalOf(response.status, text));
  return text === '' ? undefined : JSON.parse(text);
}

function refusalOf(status: number, text: string): string {
  try {
    const { detail, problems = [] } = JSON.parse(text) as {
      detail?: string;
      problems?: { pointer: string; text: string }[];
    };
    return `${detail ?? text}${problems.map((one) => `\n  - ${one.pointer}: ${one.text}`).join('')}`;
  } catch {
    return `the push service answered ${status}: ${text.slice(0, 500)}`;
  }
}
