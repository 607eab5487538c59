// The one way to the API: the types are those of its OpenAPI document, a refusal is thrown with its code, and what changes something
// carries the mark of this session.
import createClient, { type Middleware } from 'openapi-fetch';
import { ApiError, problemOf } from './api-error.ts';
import type { paths } from './schema.gen.ts';

let csrf: string | null = null;

/** From GET /v1/session; null once signed out. */
export function carryCsrf(token: string | null): void {
  csrf = token;
}

const READS = new Set(['GET', 'HEAD']);

const session: Middleware = {
  onRequest({ request }) {
    if (csrf !== null && !READS.has(request.method)) request.headers.set('x-csrf', csrf);
    return request;
  },
  async onResponse({ response }) {
    if (!response.ok) throw new ApiError(await problemOf(response));
  },
  onError({ error }) {
    return error instanceof ApiError || isAbort(error) ? (error as Error) : ApiError.noAnswer();
  },
};

const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';

export const api = createClient<paths>({ baseUrl: window.location.origin, credentials: 'same-origin' });
api.use(session);

/** The body of an answer; a refusal was thrown before it came here. */
export async function answerOf<Body>(call: Promise<{ readonly data?: Body }>): Promise<Body> {
  const { data } = await call;
  return data as Body;
}

/** For calls that answer nothing. */
export async function done(call: Promise<unknown>): Promise<void> {
  await call;
}

/** A file on its way. */
export interface Upload<Answer> {
  readonly answer: Promise<Answer>;
  /** Calls `tell` with the share that has been sent, 0 to 1. */
  readonly follow: (tell: (share: number) => void) => void;
  readonly stop: () => void;
}

const TYPES: readonly (readonly [ending: RegExp, type: string])[] = [
  [/\.(?:ndjson|jsonl)(?:\.gz)?$/i, 'application/x-ndjson'],
  [/./, 'text/csv'],
];

function headersOf(file: File): Readonly<Record<string, string>> {
  const [, type] = TYPES.find(([ending]) => ending.test(file.name)) ?? [];
  return {
    'content-type': type ?? 'text/csv',
    ...(/\.gz$/i.test(file.name) && { 'content-encoding': 'gzip' }),
  };
}

/**
 * Sends a file of rows by PUT; its name says whether it is CSV or NDJSON, and packed. Only this kind of request tells how far it is, and
 * reads the file from the disk meanwhile: it is never held as a whole.
 */
export function upload<Answer>(url: string, file: File): Upload<Answer> {
  const request = new XMLHttpRequest();
  request.open('PUT', url);
  for (const [name, value] of Object.entries(headersOf(file))) request.setRequestHeader(name, value);
  if (csrf !== null) request.setRequestHeader('x-csrf', csrf);
  const answer = new Promise<Answer>((taken, refused) => {
    request.addEventListener('load', () => {
      const response = new Response(request.responseText, {
        status: request.status,
        headers: { 'x-request-id': request.getResponseHeader('x-request-id') ?? '' },
      });
      if (response.ok) taken(response.json() as Promise<Answer>);
      else void problemOf(response).then((problem) => refused(new ApiError(problem)));
    });
    request.addEventListener('error', () => refused(ApiError.noAnswer()));
    request.addEventListener('abort', () => refused(ApiError.noAnswer()));
  });
  request.send(file);
  return {
    answer,
    follow: (tell) =>
      request.upload.addEventListener('progress', ({ loaded, total }) =>
        tell(total === 0 ? 1 : loaded / total),
      ),
    stop: () => request.abort(),
  };
}
