// The scheduler's API as any command calls it, at CARILLON_URL with CARILLON_TOKEN.
import type { z } from 'zod';
import { processEnvironment, Secret } from '../../platform/env.js';
import { callApi, refusalOf, type Api } from './call-api.js';
import { UsageError } from './usage-error.js';

interface SchedulerNeed {
  /** The role that its token needs, for the words of the error. */
  readonly role: 'publisher' | 'analyst' | 'operator' | 'admin';
  /** What the command asks the scheduler for, as the beginning of a sentence. */
  readonly why?: string;
  /** What to do instead. */
  readonly or?: string;
}

/** Throws UsageError where a variable is missing: why it is needed, what to set, and what to do instead. */
export function schedulerApi({ role, why = '', or = '' }: SchedulerNeed): Api {
  const { CARILLON_URL: url, CARILLON_TOKEN: token } = processEnvironment();
  if (!url || !URL.canParse(url))
    throw new UsageError(`${why}set CARILLON_URL to it, such as http://127.0.0.1:8080${or}`);
  if (!token)
    throw new UsageError(`${why}set CARILLON_TOKEN, or CARILLON_TOKEN_FILE: a token with the role ${role}`);
  return {
    name: 'the scheduler',
    variable: 'CARILLON_URL',
    url,
    token: new Secret(token),
    tokenVariable: 'CARILLON_TOKEN',
  };
}

/** A POST, or a GET where there is no body. Throws the answer where it is a refusal. */
export async function callScheduler<Schema extends z.ZodType>(
  api: Api,
  path: string,
  schema: Schema,
  body?: string,
): Promise<z.output<Schema>> {
  const content = body === undefined ? undefined : { type: 'application/json', body };
  const answer = await callApi(api, content === undefined ? 'GET' : 'POST', path, content);
  const value = schema.safeParse(answer.json);
  if (!answer.ok || !value.success) throw refusalOf(api, answer);
  return value.data;
}
