// Renders a message as the request to a provider, by push type and language. Each variant is rendered once; a device then
// costs one concatenation. Pure.
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

/** What the provider refuses is left out, and told to `note`: the same in every language. */
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

/** What a provider takes at most, bytes: APNs counts the body, FCM the keys and values of data and notification. */
export const MOST_BYTES = 4_096;
/** The most bytes of a whole request to FCM without the token: settings stand beside data and notification. */
const MOST_FCM_BYTES = 8_192;

/** Whether a provider would refuse it for every device. */
export function isTooLarge({ deviceType, body }: Pick<Variant, 'deviceType' | 'body'>): boolean {
  // No string has more bytes than its JSON: if the whole body fits, nothing needs to be counted.
  const bytes = Buffer.byteLength(body);
  if (bytes <= MOST_BYTES) return false;
  if (deviceType === 'APNS' || bytes > MOST_FCM_BYTES) return true;
  const { data, notification } = JSON.parse(body) as Readonly<Record<string, unknown>>;
  return bytesOf(data) + bytesOf(notification) > MOST_BYTES;
}

/** Far more than the few bytes that rendering the shortest text in place of another saves. */
const FAR_TOO_MANY_BYTES = 4 * MOST_BYTES;

/**
 * Whether it is too large in every language, for what stands beside its text. Asked first, so that a megabyte of settings is
 * rendered once rather than in each language.
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

/** Those that a text is given for, and one that none is: what differs between devices of one type. */
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
