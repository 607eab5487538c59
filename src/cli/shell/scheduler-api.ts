// The scheduler's API as any command calls it: at CARILLON_URL with CARILLON_TOKEN, else by the profile of "carillon login".
import type { z } from 'zod';
import { processEnvironment, Secret } from '../../platform/env.js';
import { callApi, refusalOf, type Api } from './call-api.js';
import { chosenProfile } from './profiles.js';
import { UsageError } from './usage-error.js';

interface SchedulerNeed {
  /** The role that its token needs, for the words of the error. */
  readonly role: 'publisher' | 'analyst' | 'operator' | 'admin';
  /** What the command asks the scheduler for, as the beginning of a sentence. */
  readonly why?: string;
  /** What to do instead. */
  readonly or?: string;
}

/**
 * One of the variables alone is never completed by a profile: its token would go to another address. Throws UsageError where there is
 * neither: why it is needed, what to set, and what to do instead.
 */
export function schedulerApi({
  role,
  why = 'this command asks the scheduler: ',
  or = '',
}: SchedulerNeed): Api {
  const { CARILLON_URL: url, CARILLON_TOKEN: token } = processEnvironment();
  const profile = url || token ? undefined : chosenProfile();
  if (profile !== undefined) {
    const { name, url: at, token: secret } = profile;
    const variable = `profile ${name}`;
    return { name: 'the scheduler', variable, url: at, token: new Secret(secret), tokenVariable: variable };
  }
  if (!url || !URL.canParse(url))
    throw new UsageError(
      `${why}set CARILLON_URL to it, such as http://127.0.0.1:8080, or run "carillon login"${or}`,
    );
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

/**
 * `request`: a path, or a method and a path; without a method it is a POST if there is a body, else a GET. Throws the answer where it
 * is a refusal.
 */
export async function callScheduler<Schema extends z.ZodType>(
  api: Api,
  request: string,
  schema: Schema,
  body?: string,
): Promise<z.output<Schema>> {
  const [path = '', method = body === undefined ? 'GET' : 'POST'] = request.split(' ').toReversed();
  const content = body === undefined ? undefined : { type: 'application/json', body };
  const answer = await callApi(api, method, path, content);
  const value = schema.safeParse(answer.json);
  if (!answer.ok || !value.success) throw refusalOf(api, answer);
  return value.data;
}
