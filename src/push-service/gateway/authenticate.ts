// push-interface.md §5: who calls, and whether they may. The answer is the same 401/200 whether the key, the clock or the
// signature is wrong, so that a caller learns nothing by trying.
import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { PushErrorName } from '../../push-contract/errors.js';
import { AUTHENTICATION_HEADERS, HEADER_PREFIXES, type HeaderPrefix } from '../../push-contract/headers.js';
import { MAX_ACCESS_KEY_LENGTH } from '../../push-contract/limits.js';
import { sign } from '../../push-contract/signature.js';
import type { AccessCache } from './access-cache.js';
import type { ServiceFacts } from './access.store.js';
import { PushError } from './push-error.js';
import { otherTargets } from './signed-targets.js';
import type { Clock, EpochMs } from '../../platform/clock.js';

type SignedRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

export interface Caller {
  readonly accessKey: string;
  readonly timestamp: string;
  readonly signature: string;
  /** Undefined when the path names no service. */
  readonly service: ServiceFacts | undefined;
}

/** Why a caller was refused. The metric and the log show it; the answer never does. */
export type RefusedBecause =
  | 'headers'
  | 'key'
  | 'signature'
  | 'clock'
  | 'service'
  | 'api-key'
  | 'suspended'
  | 'removed'
  | 'management-token';

export interface AuthenticateContext {
  /** Called for each refusal, with the access key that the request names. */
  readonly refused: (reason: RefusedBecause, accessKey: string | undefined) => void;
  readonly keys: AccessCache;
  readonly clock: Clock;
  /** The largest difference of the clocks, milliseconds: CLOCK_WINDOW_MS times the rate of a fast sandbox clock. */
  readonly windowMs: number;
}

/** The secret for an unknown key: with it an unknown key takes as long to refuse as a known key. */
const NO_SECRET = 'no such key';

/**
 * Checks a request whose path names the service, or none. Throws PushError: authenticationFailed, permissionDenied, forbidden, or
 * notFound for a removed service.
 */
export async function authenticate(
  request: SignedRequest,
  serviceId: string | undefined,
  context: AuthenticateContext,
): Promise<Caller> {
  const now = context.clock.now();
  const given = readHeaders(request.headers);
  const refuse = (reason: RefusedBecause, kind: PushErrorName = 'authenticationFailed'): PushError => {
    context.refused(reason, given?.accessKey);
    return new PushError(kind);
  };
  if (given === undefined) throw refuse('headers');
  const { apiKey, ...signedWith } = given;
  // A text that is too long for a key is not looked up. The rest takes as long as for an unknown key.
  const isKey = given.accessKey.length <= MAX_ACCESS_KEY_LENGTH;
  const access = isKey ? await context.keys.get(given.accessKey) : undefined;
  const signed = isSigned(request, given, access?.secretKey ?? NO_SECRET);
  const inTime = isInTime(given.timestamp, now, context.windowMs);
  if (access === undefined) throw refuse('key');
  if (!signed) throw refuse('signature');
  if (!inTime) throw refuse('clock');
  if (serviceId === undefined) return { ...signedWith, service: undefined };
  const service = access.services.get(serviceId);
  if (service === undefined) throw refuse('service', 'permissionDenied');
  const fault = faultOf(service, apiKey);
  if (fault !== undefined) throw refuse(...fault);
  return { ...signedWith, service };
}

interface AuthenticationHeaders extends Omit<Caller, 'service'> {
  readonly apiKey: string | undefined;
}

/** A request uses one prefix: the first for which all three required headers are there. An empty header counts as absent. */
function readHeaders(headers: IncomingHttpHeaders): AuthenticationHeaders | undefined {
  for (const prefix of HEADER_PREFIXES) {
    const timestamp = header(headers, prefix, 'timestamp');
    const accessKey = header(headers, prefix, 'accessKey');
    const signature = header(headers, prefix, 'signature');
    if (timestamp !== undefined && accessKey !== undefined && signature !== undefined) {
      return { timestamp, accessKey, signature, apiKey: header(headers, prefix, 'apiKey') };
    }
  }
  return undefined;
}

function header(
  headers: IncomingHttpHeaders,
  prefix: HeaderPrefix,
  name: keyof typeof AUTHENTICATION_HEADERS,
) {
  const value = headers[`${prefix}${AUTHENTICATION_HEADERS[name]}`];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * Nearly every client signs the raw target, so the other forms are computed only when the raw target does not match. A signature
 * is refused only after all forms were compared, so that every refusal takes the same time.
 */
function isSigned(
  { method = '', url = '' }: SignedRequest,
  given: AuthenticationHeaders,
  secretKey: string,
): boolean {
  const isOver = (rawTarget: string): boolean => {
    const expected = sign({ ...given, method, rawTarget }, secretKey);
    return equalInConstantTime(expected, given.signature);
  };
  return isOver(url) || otherTargets(url).some(isOver);
}

/** push-interface.md §5: a difference as large as the window, or larger, is invalid. */
function isInTime(timestamp: string, now: EpochMs, windowMs: number): boolean {
  return /^\d{1,15}$/.test(timestamp) && Math.abs(now - Number(timestamp)) < windowMs;
}

/**
 * push-interface.md §5, push-decisions.md, "Gateway": an API key is checked only where the service requires one. A suspended
 * service takes nothing.
 */
function faultOf(
  service: ServiceFacts,
  apiKey: string | undefined,
): readonly [RefusedBecause, PushErrorName] | undefined {
  if (service.removed) return ['removed', 'notFound'];
  if (service.apiKeyRequired) {
    const digest = hash('sha256', apiKey ?? '');
    const known = service.apiKeyHashes.filter((candidate) => equalInConstantTime(candidate, digest));
    if (apiKey === undefined || known.length === 0) return ['api-key', 'authenticationFailed'];
  }
  return service.suspended ? ['suspended', 'forbidden'] : undefined;
}

function equalInConstantTime(ours: string, theirs: string): boolean {
  const a = Buffer.from(ours);
  const b = Buffer.from(theirs);
  return a.length === b.length && timingSafeEqual(a, b);
}
