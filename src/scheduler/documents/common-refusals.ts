// The refusal codes that all routes of a kind share: for the token, for the input, by the database. A route's own codes are in its
// @Operation.
import { keepsAnswer, type Refusals } from '../../platform/http/operation.decorator.js';
import type { Route } from './routes.js';

/** A session changes something only from our own pages. */
const ofCallers = (method: string): Refusals => ({
  400: ['TWO_CREDENTIALS'],
  401: ['UNAUTHENTICATED'],
  403: ['ROLE_MISSING', ...(method === 'GET' ? [] : ['FOREIGN_REQUEST'])],
  429: ['BUDGET_SPENT'],
});

const OF_THE_DATABASE: Refusals = {
  503: [
    'DATABASE_AWAY',
    'DATABASE_FULL',
    'DATABASE_OUT_OF_MEMORY',
    'DATABASE_CONNECTIONS_EXHAUSTED',
    'DATABASE_LIMIT_REACHED',
    'DATABASE_SHORT_OF_RESOURCES',
    'DATABASE_READ_ONLY',
    'DATABASE_BUSY',
    'TOO_BUSY',
    'TOO_SLOW',
  ],
};

const OF_PAGES: Refusals = { 400: ['BAD_CURSOR'] };
const OF_LISTS: Refusals = { 503: ['LISTS_BUSY'] };

const OF_BODIES: Refusals = {
  400: ['MALFORMED_BODY', 'NOT_STORABLE'],
  413: ['BODY_TOO_LARGE'],
  415: ['UNSUPPORTED_MEDIA_TYPE'],
  503: ['BODIES_BUSY'],
};

const OF_IDEMPOTENCY: Refusals = {
  400: ['BAD_IDEMPOTENCY_KEY'],
  409: ['IDEMPOTENT_REQUEST_RUNNING'],
  422: ['IDEMPOTENCY_KEY_REUSED'],
};

/** The codes of a route, by each status with which it may be refused. */
export function refusalsOf({ method, path, query, params, roles, mark }: Route): Refusals {
  const isPaged = query !== undefined && 'cursor' in query.shape;
  const isOfApi = path.startsWith('/v1/');
  const all: (Refusals | false | undefined)[] = [
    mark.refusals,
    // The query of every operation of the API is checked.
    isOfApi && { 400: ['INVALID_REQUEST'] },
    isPaged && OF_PAGES,
    (isPaged || mark.inTurn) && OF_LISTS,
    params.length > 0 && { 400: ['INVALID_REQUEST'], 404: ['NOT_FOUND'], 414: ['URL_TOO_LONG'] },
    roles !== undefined && ofCallers(method),
    roles !== undefined && OF_THE_DATABASE,
    method !== 'GET' && OF_BODIES,
    keepsAnswer(method, mark) && OF_IDEMPOTENCY,
    { 500: ['INTERNAL'] },
  ];
  const codes: Record<number, string[]> = {};
  for (const [status, more = []] of all.flatMap((refusals) => Object.entries(refusals || {}))) {
    codes[Number(status)] = [...new Set([...(codes[Number(status)] ?? []), ...more])];
  }
  return codes;
}
