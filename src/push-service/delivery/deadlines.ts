// Until when a message may be handed over (push-decisions.md, "Providers"). Expanding a firing judges it, and it is checked again
// before each request: a push that waits for a provider must not arrive at night, or long after its time.
import type { Clock, EpochMs } from '../../platform/clock.js';
import type { DeviceType } from '../../push-contract/statuses.js';
import type { Message } from '../messages/message-request.js';
import { contentFor } from '../../push-contract/payload/content.js';
import type { Job, Outcome } from './provider-port.js';

/** An expiry later than this instant does not count as one: milliseconds since 1970. */
const LATEST: EpochMs = 1e15;

export interface Deadline {
  readonly at: Date;
  readonly reason: 'EXPIRED' | 'TIMEOUT';
}

export type Deadlines = Readonly<Record<DeviceType, Deadline>>;

/** By device type: the message's own expiry, or `deliveryMs` after it was fired if that is earlier. Pure. */
export function deadlinesOf(message: Message, firedAt: EpochMs, deliveryMs: number): Deadlines {
  const deadlineOf = (deviceType: DeviceType): Deadline => {
    const timeout = firedAt + deliveryMs;
    const { option } = contentFor(message, deviceType, '');
    const providerExpiry = deviceType === 'GCM' ? androidExpiry(option, firedAt) : apnsExpiry(option);
    const expiry = providerExpiry ?? ttlExpiry(option, firedAt);
    return expiry !== undefined && expiry < timeout
      ? { at: new Date(expiry), reason: 'EXPIRED' }
      : { at: new Date(timeout), reason: 'TIMEOUT' };
  };
  return { GCM: deadlineOf('GCM'), APNS: deadlineOf('APNS') };
}

/** `android.ttl`, a length such as "3.5s"; 0 sets no end. FCM allows four weeks, which is longer than any time-out here. */
function androidExpiry(option: Readonly<Record<string, unknown>>, firedAt: EpochMs): EpochMs | undefined {
  const { android } = option;
  if (typeof android !== 'object' || android === null || !('ttl' in android)) return undefined;
  const seconds = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(String(android.ttl))?.[1];
  return seconds === undefined || Number(seconds) === 0 ? undefined : firedAt + Number(seconds) * 1_000;
}

/** `ttl`, seconds, for every device type; 0 sets no end. */
function ttlExpiry({ ttl }: Readonly<Record<string, unknown>>, firedAt: EpochMs): EpochMs | undefined {
  return typeof ttl === 'number' && Number.isSafeInteger(ttl) && ttl > 0 ? firedAt + ttl * 1_000 : undefined;
}

/**
 * The header that gives APNs the end of `ttl`, as an instant: until then APNs keeps the push for a device that is off. The
 * message's own `apns-expiration` wins over it.
 */
export function apnsTtlHeaders(message: Message, firedAt: EpochMs): Readonly<Record<string, string>> {
  const end = ttlExpiry(contentFor(message, 'APNS', '').option, firedAt);
  return end === undefined || end >= LATEST ? {} : { 'apns-expiration': String(Math.floor(end / 1_000)) };
}

/** `apns-expiration`, an instant in seconds since 1970. 0 means "try once" and sets no end. */
function apnsExpiry(option: Readonly<Record<string, unknown>>): EpochMs | undefined {
  const seconds = Number(option['apns-expiration'] ?? 0);
  return Number.isInteger(seconds) && seconds > 0 && seconds * 1_000 < LATEST ? seconds * 1_000 : undefined;
}

/** The outcome of a target whose job has ended; undefined before the end. */
export function isOver({ notAfter }: Pick<Job, 'notAfter'>, clock: Pick<Clock, 'now'>): Outcome | undefined {
  return notAfter === undefined || clock.now() < notAfter.at
    ? undefined
    : { kind: 'failed', reason: notAfter.reason };
}
