// The request body of FCM HTTP v1 (`POST …/messages:send`) for one device. Devices of one language differ only by the token, so
// the rest is rendered once. Pure.
import type { DeviceContent } from './content.js';
import { isObject, type Members } from './members.js';
import { additionsOf } from './push-options.js';
import { withoutRefused, type NoteRefused } from './refused-values.js';

/** `message` without its token. */
export interface FcmMessage {
  readonly data: Readonly<Record<string, string>>;
  readonly [option: string]: unknown;
}

export function fcmMessage({ content, custom, option }: DeviceContent, note?: NoteRefused): FcmMessage {
  const additions = additionsOf(option, 'fcm');
  // FCM takes only strings, so any other custom value becomes its JSON text. `custom` wins over what an option adds.
  const data = [
    ...additions.flatMap((addition) => Object.entries(addition.data ?? {})),
    ...Object.entries(custom).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ];
  // Content that is not empty replaces a custom key of that name.
  if (content !== '') data.push(['content', content]);
  const made = {
    data: Object.fromEntries(data) as Record<string, string>,
    ...shownBy(additions, option, content),
  };
  return withoutRefused(made, 'FCM', note);
}

/** The members beside `data`. A member with FCM's own name wins over what the table of options makes from another member. */
function shownBy(
  additions: ReturnType<typeof additionsOf<'fcm'>>,
  option: DeviceContent['option'],
  content: string,
): Members {
  const mapped = merged(additions.map(({ notification }) => notification));
  // A client that uses only FCM's own members gets exactly those.
  const isShown = Object.keys(mapped).length > 0;
  const text = isShown && content !== '' ? { body: content } : {};
  const notification = merged([mapped, text, option['notification']]);
  const onAndroid = merged(additions.map((addition) => addition.androidNotification));
  const android = merged([
    ...additions.map((addition) => addition.android),
    isShown && Object.keys(onAndroid).length > 0 ? { notification: onAndroid } : undefined,
    option['android'],
  ]);
  const webpush = merged([...additions.map((addition) => addition.webpush), option['webpush']]);
  const made = { android, notification, webpush, fcm_options: merged([option['fcm_options']]) };
  return Object.fromEntries(
    Object.entries(made).flatMap(([name, members]) => {
      const given = option[name];
      // FCM refuses what is not an object, and withoutRefused() notes that.
      if (given !== undefined && given !== null && !isObject(given)) return [[name, given]];
      return Object.keys(members).length > 0 || isObject(given) ? [[name, members]] : [];
    }),
  );
}

/** Later objects win over earlier ones. Members that are objects are merged in the same way, one level deep. */
function merged(all: readonly unknown[]): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  for (const members of all) {
    if (!isObject(members)) continue;
    for (const [name, value] of Object.entries(members)) {
      const before = made[name];
      made[name] = isObject(before) && isObject(value) ? { ...before, ...value } : value;
    }
  }
  return made;
}

/** The whole body for one token; `message` is the JSON text of an FcmMessage. */
export function fcmBody(message: string, token: string): string {
  return `{"message":{"token":${JSON.stringify(token)},${message.slice(1)}}`;
}
