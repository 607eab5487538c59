// Calls the scheduler's API, and tries again while the scheduler cannot be reached or says that it is busy. That is safe: an event is
// known by its source and id, so that after a lost answer it is a duplicate, never a second campaign.
import { setTimeout as rest } from 'node:timers/promises';
import { PublishError } from './published.js';

export interface HttpCallerOptions {
  /** The scheduler, such as `https://carillon.example.com` [the environment's CARILLON_URL]. */
  readonly url?: string;
  /** A bearer token with the role publisher, or a function that returns one for each try [CARILLON_TOKEN]. */
  readonly token?: string | (() => string | Promise<string>);
  /** How long to go on trying, milliseconds [60 000]. The last try may take `timeoutMs` longer. */
  readonly patienceMs?: number;
  /** The time limit of one try, milliseconds [30 000]. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof fetch;
}

export interface Answer {
  readonly status: number;
  /** Parsed where it is JSON, else the text. */
  readonly body: unknown;
}

interface Content {
  readonly type: string;
  readonly body: string;
}

type Try = { readonly retryAfterMs: number } & (
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'unanswered'; readonly cause: unknown }
);

/** HTTP statuses of a scheduler that is busy or restarting, or that a proxy does not find: the same request may succeed next time. */
const TRY_AGAIN = new Set([408, 425, 429, 500, 502, 503, 504]);
const FIRST_REST_MS = 200;
const LONGEST_REST_MS = 10_000;

export class HttpCaller {
  readonly #options: Required<HttpCallerOptions>;

  /** Throws a TypeError where there is no address or no token. */
  constructor({
    url = process.env['CARILLON_URL'] ?? '',
    token = process.env['CARILLON_TOKEN'] ?? '',
    patienceMs = 60_000,
    timeoutMs = 30_000,
    fetch = globalThis.fetch,
  }: HttpCallerOptions) {
    if (!URL.canParse(url)) {
      throw new TypeError(`give the scheduler's address as url or CARILLON_URL; this is none: ${url}`);
    }
    if (token === '') throw new TypeError('give a token with the role publisher as token or CARILLON_TOKEN');
    this.#options = { url, token, patienceMs, timeoutMs, fetch };
  }

  /** Throws a PublishError `UNREACHABLE` when patience is over, and the reason that `signal` was aborted with. */
  async call(path: string, content?: Content, signal?: AbortSignal): Promise<Answer> {
    const { url, patienceMs } = this.#options;
    const deadline = performance.now() + patienceMs;
    for (let tries = 1; ; tries += 1) {
      const found = await this.#try(path, content, signal);
      if (found.kind === 'answered' && !TRY_AGAIN.has(found.answer.status)) return found.answer;
      // Full jitter, so that many publishers do not come back at the same moment.
      const jitteredMs = Math.random() * Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** tries);
      const restMs = Math.max(jitteredMs, found.retryAfterMs);
      if (performance.now() + restMs > deadline) {
        if (found.kind === 'answered') return found.answer;
        const { cause } = found;
        const why = cause instanceof Error ? (cause.cause ?? cause) : cause;
        const text = `the scheduler does not answer at ${url}, tried ${tries} times: ${String(why)}`;
        throw new PublishError(text, 'UNREACHABLE', { cause });
      }
      await rest(restMs, undefined, { ...(signal && { signal }) });
    }
  }

  async #try(path: string, content: Content | undefined, signal: AbortSignal | undefined): Promise<Try> {
    const { url, token, timeoutMs, fetch } = this.#options;
    const bearer = typeof token === 'string' ? token : await token();
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(new URL(path, url), {
        method: content === undefined ? 'GET' : 'POST',
        // A redirect would carry token and events elsewhere: it is returned as the answer.
        redirect: 'manual',
        headers: {
          authorization: `Bearer ${bearer}`,
          ...(content && { 'content-type': content.type }),
        },
        ...(content && { body: content.body }),
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      });
      const answer = { status: response.status, body: parsed(await response.text()) };
      return { kind: 'answered', answer, retryAfterMs: retryAfterMs(response.headers.get('retry-after')) };
    } catch (cause) {
      signal?.throwIfAborted();
      return { kind: 'unanswered', cause, retryAfterMs: 0 };
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** RFC 9110 §10.2.3: seconds or a date; 0 where the header has neither. */
function retryAfterMs(header: string | null): number {
  if (header === null) return 0;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}
