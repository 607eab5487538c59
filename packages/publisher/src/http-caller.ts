// One call of the scheduler's API, tried again while the scheduler cannot be reached or says that it is busy. That is safe:
// an event is known by its source and id, so one whose answer was lost is a duplicate the second time, never a second campaign.
import { setTimeout as rest } from 'node:timers/promises';
import { PublishError } from './published.js';

export interface HttpCallerOptions {
  /** The scheduler, such as `https://carillon.example.com` [the environment's CARILLON_URL]. */
  readonly url?: string;
  /** A bearer token with the role publisher, or where to get one for each try [CARILLON_TOKEN]. */
  readonly token?: string | (() => string | Promise<string>);
  /** How long to go on trying, milliseconds [60 000]. The last try may take `timeoutMs` longer. */
  readonly patienceMs?: number;
  /** Of one try, milliseconds [30 000]. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof fetch;
}

export interface Answer {
  readonly status: number;
  /** Parsed where it is JSON, else the text. */
  readonly body: unknown;
}

type Try = { readonly retryAfterMs: number } & (
  | { readonly kind: 'answered'; readonly answer: Answer; readonly again: boolean }
  | { readonly kind: 'unanswered'; readonly cause: unknown }
);

/** Busy, restarting or behind a proxy that found nobody: the same request may be answered next time. */
const TRY_AGAIN = new Set([408, 425, 429, 500, 502, 503, 504]);
const FIRST_REST_MS = 200;
const LONGEST_REST_MS = 10_000;

export class HttpCaller {
  readonly #url: string;
  readonly #token: string | (() => string | Promise<string>);
  readonly #fetch: typeof fetch;
  readonly #patienceMs: number;
  readonly #timeoutMs: number;

  /** Throws a TypeError where there is no address or no token. */
  constructor(options: HttpCallerOptions) {
    const { url = process.env['CARILLON_URL'] ?? '', token = process.env['CARILLON_TOKEN'] ?? '' } = options;
    if (!URL.canParse(url)) {
      throw new TypeError(`give the scheduler's address as url or CARILLON_URL; this is none: ${url}`);
    }
    if (token === '') throw new TypeError('give a token with the role publisher as token or CARILLON_TOKEN');
    this.#url = url;
    this.#token = token;
    this.#fetch = options.fetch ?? fetch;
    this.#patienceMs = options.patienceMs ?? 60_000;
    this.#timeoutMs = options.timeoutMs ?? 30_000;
  }

  /** Throws a PublishError `UNREACHABLE` when patience is over, and what `signal` was aborted with. */
  async call(
    path: string,
    content?: { readonly type: string; readonly body: string },
    signal?: AbortSignal,
  ): Promise<Answer> {
    const deadline = performance.now() + this.#patienceMs;
    for (let tries = 1; ; tries += 1) {
      const found = await this.#try(path, content, signal);
      if (found.kind === 'answered' && !found.again) return found.answer;
      // Full jitter, so that many publishers do not come back in one moment.
      const ownMs = Math.random() * Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** tries);
      const restMs = Math.max(ownMs, found.retryAfterMs);
      if (performance.now() + restMs > deadline) {
        if (found.kind === 'answered') return found.answer;
        const why = found.cause instanceof Error ? (found.cause.cause ?? found.cause) : found.cause;
        const text = `the scheduler does not answer at ${this.#url}, tried ${tries} times: ${String(why)}`;
        throw new PublishError(text, 'UNREACHABLE', { cause: found.cause });
      }
      await rest(restMs, undefined, { ...(signal && { signal }) });
    }
  }

  async #try(
    path: string,
    content: { readonly type: string; readonly body: string } | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Try> {
    const bearer = typeof this.#token === 'string' ? this.#token : await this.#token();
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    try {
      const response = await this.#fetch(new URL(path, this.#url), {
        method: content === undefined ? 'GET' : 'POST',
        // It would carry token and events elsewhere: it is answered as it is.
        redirect: 'manual',
        headers: {
          authorization: `Bearer ${bearer}`,
          ...(content && { 'content-type': content.type }),
        },
        ...(content && { body: content.body }),
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      });
      const answer = { status: response.status, body: parsed(await response.text()) };
      return {
        kind: 'answered',
        answer,
        again: TRY_AGAIN.has(response.status),
        retryAfterMs: retryAfterMs(response.headers.get('retry-after')),
      };
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

/** RFC 9110 §10.2.3: seconds or a date; 0 where neither is given. */
function retryAfterMs(header: string | null): number {
  if (header === null) return 0;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}
