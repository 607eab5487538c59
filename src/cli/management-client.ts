// The management API of the push service as the carillon-push command calls it. Says what to do when it does not answer.
import { UsageError } from './usage-error.js';

export type Body = Readonly<Record<string, unknown>>;

export class ManagementClient {
  /** `url` without a path, such as http://127.0.0.1:3201. */
  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  /** The answer's JSON, or undefined when it has none. Throws an Error with the answer's own words. */
  async call(method: string, path: string, body?: Body): Promise<unknown> {
    const text = await this.#send(method, path, body);
    return text === '' ? undefined : JSON.parse(text);
  }

  async #send(method: string, path: string, body: Body | undefined): Promise<string> {
    let response: Response;
    try {
      response = await fetch(new URL(path, this.url), {
        method,
        headers: {
          authorization: `Bearer ${this.token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    } catch (error) {
      const reason =
        error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
      throw new Error(`the push service does not answer at ${this.url} (MANAGEMENT_URL): ${reason}`, {
        cause: error,
      });
    }
    const text = await response.text();
    if (!response.ok) throw new Error(refusalOf(response.status, text));
    return text;
  }
}

/** Reads MANAGEMENT_URL (default http://127.0.0.1:3201) and MANAGEMENT_TOKEN. Throws UsageError. */
export function managementClient(env: Readonly<Record<string, string | undefined>>): ManagementClient {
  const { MANAGEMENT_URL: url = 'http://127.0.0.1:3201', MANAGEMENT_TOKEN: token = '' } = env;
  if (!URL.canParse(url)) throw new UsageError('MANAGEMENT_URL is no URL');
  if (token === '')
    throw new UsageError('MANAGEMENT_TOKEN is not set: it is the token the push service was started with');
  return new ManagementClient(url, token);
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
