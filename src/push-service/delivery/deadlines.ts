// Until when a message may still be handed over (push-decisions.md, "Providers"). Judged where targets are laid down, and
// looked at again before each request: what waits for a provider must not ring in the night, or long after its time.
import type { Clock, EpochMs } from '../../platform/clock.js';
import { DEVICE_TYPES, type DeviceType } from '../../push-contract/statuses.js';
import type { Message } from '../messages/message-request.js';
import { contentFor } from '../../push-contract/payload/content.js';
import type { Job, Outcome } from './provider-port.js';

/** What no message means to live to: it sets no end. */
const LATEST: EpochMs = 1e15;

export interface Deadline {
  readonly at: Date;
  readonly reason: 'EXPIRED' | 'TIMEOUT';
}

export type Deadlines = Readonly<Record<DeviceType, Deadline>>;

/** By device type, whoever the user is: the message's own expiry, or `deliveryMs` after it was fired. Pure. */
export function deadlinesOf(message: Message, firedAt: EpochMs, deliveryMs: number): Deadlines {
  const of = (deviceType: DeviceType): Deadline => {
    const timeout = firedAt + deliveryMs;
    const { option } = contentFor(message, deviceType, '');
    const own = deviceType === 'GCM' ? androidExpiry(option, firedAt) : apnsExpiry(option);
    const expiry = own ?? ttlExpiry(option, firedAt);
    return expiry !== undefined && expiry < timeout
      ? { at: new Date(expiry), reason: 'EXPIRED' }
      : { at: new Date(timeout), reason: 'TIMEOUT' };
  };
  return Object.fromEntries(DEVICE_TYPES.map((type) => [type, of(type)])) as unknown as Deadlines;
}

/** `android.ttl`, a length: "3.5s". At most four weeks, says FCM; longer than any time-out here. 0 sets no end. */
function androidExpiry(option: Readonly<Record<string, unknown>>, firedAt: EpochMs): EpochMs | undefined {
  const { android } = option;
  if (typeof android !== 'object' || android === null || !('ttl' in android)) return undefined;
  const seconds = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(String(android.ttl))?.[1];
  return seconds === undefined || Number(seconds) === 0 ? undefined : firedAt + Number(seconds) * 1_000;
}

/** `ttl`, seconds, for every device type. 0 sets no end. */
function ttlExpiry({ ttl }: Readonly<Record<string, unknown>>, firedAt: EpochMs): EpochMs | undefined {
  return typeof ttl === 'number' && Number.isSafeInteger(ttl) && ttl > 0 ? firedAt + ttl * 1_000 : undefined;
}

/**
 * `ttl` as APNs takes it, an instant: until then it keeps the push for a device that is off, whenever we hand it over. None
 * beside the message's own `apns-expiration`, which wins.
 */
export function apnsTtlHeaders(message: Message, firedAt: EpochMs): Readonly<Record<string, string>> {
  const end = ttlExpiry(contentFor(message, 'APNS', '').option, firedAt);
  return end === undefined || end >= LATEST ? {} : { 'apns-expiration': String(Math.floor(end / 1_000)) };
}

/** `apns-expiration`, an instant in seconds since 1970. 0, "try once", sets no end. */
function apnsExpiry(option: Readonly<Record<string, unknown>>): EpochMs | undefined {
  const seconds = Number(option['apns-expiration'] ?? 0);
  return Number.isInteger(seconds) && seconds > 0 && seconds * 1_000 < LATEST ? seconds * 1_000 : undefined;
}

/** What a target comes to at or after its job's end; undefined before it. */
export function isOver({ notAfter }: Pick<Job, 'notAfter'>, clock: Pick<Clock, 'now'>): Outcome | undefined {
  return notAfter === undefined || clock.now() < notAfter.at
    ? undefined
    : { kind: 'failed', reason: notAfter.reason };
}
