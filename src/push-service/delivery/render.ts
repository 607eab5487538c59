// From a message to the request a provider gets, by push type and language. Rendered once a variant; a device then
// costs one concatenation. Pure.
import type { DeviceType } from '../../push-contract/statuses.js';
import type { Message } from '../messages/message-request.js';
import { apnsRequest } from './apns/apns-payload.js';
import { contentFor } from './content.js';
import { fcmBody, fcmMessage } from './fcm/fcm-payload.js';
import type { Handover } from './provider.js';

export interface Variant {
  readonly deviceType: DeviceType;
  readonly language: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text; for FCM without the token. */
  readonly body: string;
}

export function renderVariant(message: Message, deviceType: DeviceType, language: string): Variant {
  const content = contentFor(message, deviceType, language);
  if (deviceType === 'GCM') {
    return { deviceType, language, headers: {}, body: JSON.stringify(fcmMessage(content)) };
  }
  const { headers, body } = apnsRequest(content);
  return { deviceType, language, headers, body: JSON.stringify(body) };
}

export function renderPayload(variant: Pick<Variant, 'deviceType' | 'body'>, token: string): string {
  return variant.deviceType === 'GCM' ? fcmBody(variant.body, token) : variant.body;
}

export function handoverOf(variant: Variant, token: string): Handover {
  const { deviceType, headers } = variant;
  return { deviceType, token, payload: renderPayload(variant, token), headers };
}
