// The header names of the interface (push-interface.md §5 and the extensions), in lower case, as Node's servers give them.

/** The prefix of push-interface.md §5, and the prefix that real clients send. A request uses one of them for all its headers. */
export const HEADER_PREFIXES = ['x-svc-', 'x-ncp-'] as const;
export type HeaderPrefix = (typeof HEADER_PREFIXES)[number];

/** The names behind the prefix (push-interface.md §5). */
export const AUTHENTICATION_HEADERS = {
  timestamp: 'apigw-timestamp',
  accessKey: 'iam-access-key',
  signature: 'apigw-signature-v2',
  apiKey: 'apigw-api-key',
} as const;

export const TIMESTAMP_HEADER = `x-svc-${AUTHENTICATION_HEADERS.timestamp}`;
export const ACCESS_KEY_HEADER = `x-svc-${AUTHENTICATION_HEADERS.accessKey}`;
export const SIGNATURE_HEADER = `x-svc-${AUTHENTICATION_HEADERS.signature}`;
export const API_KEY_HEADER = `x-svc-${AUTHENTICATION_HEADERS.apiKey}`;

/** push-interface.md §4: the Content-Type of a request with a body. */
export const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

/** Extension `idempotency-key`: the same key and body get the first answer again for 30 days. */
export const IDEMPOTENCY_KEY_HEADER = 'idempotency-key';

/** On every answer. */
export const REQUEST_ID_HEADER = 'x-request-id';

/** On every answer: the extensions that the service offers, comma-separated. */
export const EXTENSIONS_HEADER = 'x-carillon-extensions';

/**
 * On the answer to POST messages, if a provider refuses something in the message (push-decisions.md, "What a provider refuses").
 */
export const WARNINGS_HEADER = 'x-carillon-warnings';

/** On every 429 and 503: whole seconds, at least 1. */
export const RETRY_AFTER_HEADER = 'retry-after';

/** The extensions (push-decisions.md, "Extensions"). None changes the answer to a client that does not use it. */
export const EXTENSIONS = [
  'idempotency-key',
  'close-key',
  'target-timezone',
  'user-timezones',
  'result-breakdown',
] as const;
export type Extension = (typeof EXTENSIONS)[number];

/** The extensions that the header names, in the order of EXTENSIONS; names that nobody here knows are left out. */
export function extensionsNamed(header: string): readonly Extension[] {
  const known = parsed.get(header);
  if (known !== undefined) return known;
  const named = new Set(header.split(',').map((name) => name.trim().toLowerCase()));
  const extensions = EXTENSIONS.filter((name) => named.has(name));
  if (parsed.size < MOST_PARSED) parsed.set(header, extensions);
  return extensions;
}

/** Every answer of a gateway has the same header, so each is read once: the same text gives the same list. */
const parsed = new Map<string, readonly Extension[]>();
const MOST_PARSED = 100;
