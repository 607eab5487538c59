// The header names of the interface (push-interface.md §5 and the extensions), in lower case, as Node's servers hand them over.

/** The prefix of push-interface.md §5, and the one that real clients send; a request uses one of them throughout. */
export const HEADER_PREFIXES = ['x-svc-', 'x-ncp-'] as const;
export type HeaderPrefix = (typeof HEADER_PREFIXES)[number];

/** What follows the prefix (push-interface.md §5). */
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

/** push-interface.md §4: of a request with a body. */
export const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

/** Extension `idempotency-key`: the same key and body get the first answer again for 30 days. */
export const IDEMPOTENCY_KEY_HEADER = 'idempotency-key';

/** On every answer. */
export const REQUEST_ID_HEADER = 'x-request-id';

/** On every answer: the extensions offered, comma-separated. */
export const EXTENSIONS_HEADER = 'x-carillon-extensions';

/** On the answer of POST messages, if a provider refuses something of it (push-decisions.md, "What a provider refuses"). */
export const WARNINGS_HEADER = 'x-carillon-warnings';

/** Whole seconds, at least 1; on every 429 and 503. */
export const RETRY_AFTER_HEADER = 'retry-after';

/** The extensions (push-decisions.md, "Extensions"); one never changes the answer to a client that does not use it. */
export const EXTENSIONS = [
  'idempotency-key',
  'target-timezone',
  'user-timezones',
  'result-breakdown',
] as const;
