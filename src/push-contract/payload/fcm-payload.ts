// The request body of FCM HTTP v1 (`POST …/messages:send`) for one device. Pure; the token is the only thing that
// differs between devices of one language, so the rest is rendered once.
import type { DeviceContent } from './content.js';
import { partsOf } from './push-options.js';

/** `message` without its token. */
export interface FcmMessage {
  readonly data: Readonly<Record<string, string>>;
  readonly [option: string]: unknown;
}

export function fcmMessage({ content, custom, option }: DeviceContent): FcmMessage {
  const parts = partsOf(option, 'fcm');
  // FCM takes texts only: a custom value that is none becomes its JSON text. It wins over what an option adds.
  const data = [
    ...parts.flatMap((part) => Object.entries(part.data ?? {})),
    ...Object.entries(custom).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ];
  // data.content is content when it is not empty, else custom's key of that name.
  if (content !== '') data.push(['content', content]);
  return { data: Object.fromEntries(data) as Record<string, string>, ...shownBy(parts, option, content) };
}

/** What stands beside `data`. A member that FCM takes by its own name wins over what the table makes of another. */
function shownBy(
  parts: ReturnType<typeof partsOf<'fcm'>>,
  option: DeviceContent['option'],
  content: string,
): Readonly<Record<string, unknown>> {
  const mapped = merged(parts.map(({ notification }) => notification));
  const text = Object.keys(mapped).length > 0 && content !== '' ? { body: content } : {};
  const notification = merged([mapped, text, option['notification']]);
  // A client that has FCM's own members alone gets what it always got.
  const isShown = Object.keys(mapped).length > 0;
  const onAndroid = merged(parts.map((part) => part.androidNotification));
  const android = merged([
    ...parts.map((part) => part.android),
    isShown && Object.keys(onAndroid).length > 0 ? { notification: onAndroid } : undefined,
    option['android'],
  ]);
  const webpush = merged([...parts.map((part) => part.webpush), option['webpush']]);
  const made = { android, notification, webpush, fcm_options: merged([option['fcm_options']]) };
  return Object.fromEntries(
    Object.entries(made).flatMap(([name, members]) => {
      // Given as something that is no object, it is the provider's to refuse.
      const own = option[name];
      const isOdd = own !== undefined && own !== null && !isMembers(own);
      if (isOdd) return [[name, own]];
      return Object.keys(members).length > 0 || isMembers(own) ? [[name, members]] : [];
    }),
  );
}

function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Later ones over earlier ones, and so their members that are objects. */
function merged(all: readonly unknown[]): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  for (const members of all) {
    if (!isMembers(members)) continue;
    for (const [name, value] of Object.entries(members)) {
      const before = made[name];
      made[name] = isMembers(before) && isMembers(value) ? { ...before, ...value } : value;
    }
  }
  return made;
}

/** Renders the body for a token; `message` is the JSON text of an FcmMessage. */
export function fcmBody(message: string, token: string): string {
  return `{"message":{"token":${JSON.stringify(token)},${message.slice(1)}}`;
}
