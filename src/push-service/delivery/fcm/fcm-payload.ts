// The request body of FCM HTTP v1 (`POST …/messages:send`) for one device. Pure; the token is the only thing that
// differs between devices of one language, so the rest is rendered once.
import type { DeviceContent } from '../content.js';

/** The members of `option` that are placed in the request; others are ignored. */
export const ANDROID_OPTIONS = ['android', 'fcm_options', 'notification'] as const;

/** `message` without its token. */
export interface FcmMessage {
  readonly data: Readonly<Record<string, string>>;
  readonly [option: string]: unknown;
}

export function fcmMessage({ content, custom, option }: DeviceContent): FcmMessage {
  // FCM takes texts only: a custom value that is none becomes its JSON text.
  const data = Object.entries(custom).map(([key, value]) => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  // data.content is content when it is not empty, else custom's key of that name.
  if (content !== '') data.push(['content', content]);
  const options = ANDROID_OPTIONS.filter((name) => option[name] !== undefined && option[name] !== null);
  return {
    data: Object.fromEntries(data) as Record<string, string>,
    ...Object.fromEntries(options.map((name) => [name, option[name]])),
  };
}

/** Renders the body for a token; `message` is the JSON text of an FcmMessage. */
export function fcmBody(message: string, token: string): string {
  return `{"message":{"token":${JSON.stringify(token)},${message.slice(1)}}`;
}
