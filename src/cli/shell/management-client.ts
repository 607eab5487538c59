// Calls the push service's management API for commands. Says what to do when it does not answer.
import { processEnvironment, Secret } from '../../platform/env.js';
import { callApi, refusalOf, type Api } from './call-api.js';
import { UsageError } from './usage-error.js';

export type Body = Readonly<Record<string, unknown>>;

/** The push service at MANAGEMENT_URL (default http://127.0.0.1:3201). Throws a UsageError for an environment that cannot be used. */
export function managementApi(): Api {
  const { MANAGEMENT_URL: given, MANAGEMENT_TOKEN: token } = processEnvironment();
  // An empty variable, as an .env file may have it, counts as absent.
  const url = given || 'http://127.0.0.1:3201';
  if (!URL.canParse(url)) throw new UsageError('MANAGEMENT_URL is no URL');
  if (!token)
    throw new UsageError('MANAGEMENT_TOKEN is not set: it is the token the push service was started with');
  return {
    name: 'the push service',
    variable: 'MANAGEMENT_URL',
    url,
    token: new Secret(token),
    tokenVariable: 'MANAGEMENT_TOKEN',
  };
}

/**
 * The answer's JSON, or undefined when it has none. Throws as managementApi() does, and an Error with the answer's own words for
 * a refusal.
 */
export async function callManagement(method: string, path: string, body?: Body): Promise<unknown> {
  const api = managementApi();
  const content = body && { type: 'application/json', body: JSON.stringify(body) };
  const answer = await callApi(api, method, path, content);
  if (!answer.ok || (answer.json === undefined && answer.text !== '')) throw refusalOf(api, answer);
  return answer.json;
}
