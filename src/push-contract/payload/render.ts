// Renders a message as the request to a provider, by push type and language. Each variant is rendered once. A device then takes
// one concatenation. Pure.
import type { DeviceType } from '../statuses.js';
import type { CommonMessage } from '../messages.js';
import { apnsRequest } from './apns-payload.js';
import { contentFor, type DeviceContent } from './content.js';
import { fcmBody, fcmMessage } from './fcm-payload.js';
import type { NoteRefused } from './refused-values.js';

export interface Variant {
  readonly deviceType: DeviceType;
  readonly language: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text; for FCM, without the token. */
  readonly body: string;
}

/** Leaves out what the provider refuses, and calls `note` with it. That is the same in every language. */
export function renderVariant(
  message: CommonMessage,
  deviceType: DeviceType,
  language: string,
  note?: NoteRefused,
): Variant {
  return render(contentFor(message, deviceType, language), deviceType, language, note);
}

function render(
  content: DeviceContent,
  deviceType: DeviceType,
  language: string,
  note: NoteRefused | undefined,
): Variant {
  const { headers, body } =
    deviceType === 'GCM' ? { headers: {}, body: fcmMessage(content, note) } : apnsRequest(content, note);
  return { deviceType, language, headers, body: JSON.stringify(body) };
}

/** The most bytes that a provider takes. APNs counts the body, FCM the keys and values of data and notification. */
export const MOST_BYTES = 4_096;
/** The most bytes of a whole request to FCM without the token. It has settings beside data and notification. */
const MOST_FCM_BYTES = 8_192;

/** Whether a provider would refuse the variant because of its size. */
export function isTooLarge({ deviceType, body }: Pick<Variant, 'deviceType' | 'body'>): boolean {
  // No string has more bytes than its JSON, so nothing needs to be counted if the whole body fits.
  const bytes = Buffer.byteLength(body);
  if (bytes <= MOST_BYTES) return false;
  if (deviceType === 'APNS' || bytes > MOST_FCM_BYTES) return true;
  const { data, notification } = JSON.parse(body) as Readonly<Record<string, unknown>>;
  return bytesOf(data) + bytesOf(notification) > MOST_BYTES;
}

/** Far more than the bytes that the shortest text saves in place of another text. */
const FAR_TOO_MANY_BYTES = 4 * MOST_BYTES;

/**
 * Whether the message is too large in every language, because of what it has beside its text. It is asked first, so that a
 * megabyte of settings is rendered once and not in each language.
 */
export function isTooLargeBesideText(
  message: CommonMessage,
  deviceType: DeviceType,
  note?: NoteRefused,
): boolean {
  const content = { ...contentFor(message, deviceType, ''), content: '-' };
  return Buffer.byteLength(render(content, deviceType, '', note).body) > FAR_TOO_MANY_BYTES;
}

function bytesOf(members: unknown): number {
  if (typeof members !== 'object' || members === null) return 0;
  return Object.entries(members).reduce((sum, [key, value]: [string, unknown]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return sum + Buffer.byteLength(key) + Buffer.byteLength(text);
  }, 0);
}

/** The languages that have a text, and '' for all others: devices of one type differ only by these. */
export function languagesOf(message: CommonMessage, type: DeviceType): ReadonlySet<string> {
  const ofType = type === 'GCM' ? message.gcm : message.apns;
  return new Set([
    '',
    ...Object.keys((ofType ?? message.default).i18n ?? {}),
    ...Object.keys(message.i18n ?? {}),
  ]);
}

export function renderPayload(variant: Pick<Variant, 'deviceType' | 'body'>, token: string): string {
  return variant.deviceType === 'GCM' ? fcmBody(variant.body, token) : variant.body;
}
