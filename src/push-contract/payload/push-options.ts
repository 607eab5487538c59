// What a push may have beside its text: the members of `option` that mean the same on every device, and their effect there. This
// one table makes the payloads and finds unknown members, and docs/use/campaign-events.md shows it. Pure.
import type { DeviceType } from '../statuses.js';
import { isObject, type Members } from './members.js';
import { isHttps } from './refused-values.js';

/** What a member adds to a message for FCM. `androidNotification` counts only beside `title` or `image`. */
interface FcmAddition {
  readonly notification?: Members;
  readonly android?: Members;
  readonly androidNotification?: Members;
  readonly webpush?: Members;
  readonly data?: Readonly<Record<string, string>>;
}

/** What a member adds to a request to APNs. */
export interface ApnsAddition {
  readonly headers?: Readonly<Record<string, string>>;
  readonly alert?: Members;
  readonly aps?: Members;
  readonly custom?: Members;
}

interface PushOption {
  /** The value that it takes, with an example. */
  readonly takes: string;
  readonly android: string;
  readonly ios: string;
  readonly web: string;
  /** Whether `takes` describes the value, for devices of this type. By default: whether fcm() returns an addition for it. */
  fits?(value: unknown, type: DeviceType): boolean;
  /** Undefined: the value is of another kind, and is ignored. */
  fcm(value: unknown): FcmAddition | undefined;
  apns(value: unknown): ApnsAddition | undefined;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
const wholeOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

/** Makes an addition from a value of the right kind. */
function from<Value, Addition>(
  read: (value: unknown) => Value | undefined,
  make: (value: Value) => Addition,
) {
  return (value: unknown): Addition | undefined => {
    const given = read(value);
    return given === undefined ? undefined : make(given);
  };
}

const isAddress = (value: unknown): boolean => typeof value === 'string' && URL.canParse(value);
const isText = (value: unknown): boolean => textOf(value) !== undefined;
const fitsHeader = (value: unknown): value is string =>
  typeof value === 'string' && /^[\u0021-\u007e]{1,64}$/.test(value);

const priorityOf = (value: unknown): 'high' | 'normal' | undefined =>
  value === 'high' || value === 'normal' ? value : undefined;
const textsOf = (value: unknown): Readonly<Record<string, string>> | undefined => {
  if (!isObject(value)) return undefined;
  const texts = Object.entries(value).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(texts);
};

export const PUSH_OPTIONS = {
  title: {
    takes: 'a text: `"Shop"`',
    android: '`notification.title`; the content becomes `notification.body`, and the system shows both',
    ios: '`aps.alert.title`; the content is `aps.alert.body`',
    web: '`notification.title` and `notification.body`',
    fcm: from(textOf, (title) => ({ notification: { title } })),
    apns: from(textOf, (title) => ({ alert: { title } })),
  },
  image: {
    takes: 'an address: `"https://shop.example/sale.png"`',
    android: '`notification.image`',
    ios: '`aps.mutable-content` is 1, and the custom key `image`: a service extension of the app loads it',
    web: '`notification.image`',
    fits: (value) => isAddress(value) && /^https?:/i.test(String(value)),
    fcm: from(textOf, (image) => ({ notification: { image } })),
    apns: from(textOf, (image) => ({ aps: { 'mutable-content': 1 }, custom: { image } })),
  },
  link: {
    takes: 'an address: `"https://shop.example/sale"`, or one of the app: `"shop://sale"`',
    android: '`data.link`: the app opens it',
    ios: 'the custom key `link`: the app opens it',
    web: 'if it is https, `webpush.fcm_options.link`: the browser opens it',
    fits: isAddress,
    fcm: from(textOf, (link) => ({
      data: { link },
      ...(isHttps(link) && { webpush: { fcm_options: { link } } }),
    })),
    apns: from(textOf, (link) => ({ custom: { link } })),
  },
  sound: {
    takes: 'a name: `"default"`; on iOS also the object of a critical alert',
    android: '`android.notification.sound`, beside `title` or `image`',
    ios: '`aps.sound`',
    web: 'nothing: a browser has its own',
    fits: (value) => isText(value) || isObject(value),
    fcm: from(textOf, (sound) => ({ androidNotification: { sound } })),
    apns: (sound) => ({ aps: { sound } }),
  },
  badge: {
    takes: 'a whole number: `3`, for FCM at most 2147483647',
    android: '`android.notification.notification_count`, beside `title` or `image`',
    ios: '`aps.badge`; 0 takes it away',
    web: 'nothing',
    fcm: from(wholeOf, (count) => ({ androidNotification: { notification_count: count } })),
    apns: (badge) => ({ aps: { badge } }),
  },
  thread: {
    takes: 'a text: `"orders"`',
    android: '`data.thread`: the app groups by it',
    ios: '`aps.thread-id`',
    web: '`data.thread`',
    fcm: from(textOf, (thread) => ({ data: { thread } })),
    apns: from(textOf, (thread) => ({ aps: { 'thread-id': thread } })),
  },
  collapse: {
    takes: 'a text, for APNs at most 64 visible ASCII characters: `"order-7"`',
    android: '`android.collapse_key`: of those that wait the newest comes',
    ios: 'the header `apns-collapse-id`: the newest takes the place of what is shown',
    web: 'the header `Topic`, for a text of at most 32 of A–Z a–z 0–9 - _',
    fits: (value, type) => isText(value) && (type === 'GCM' || fitsHeader(value)),
    fcm: from(textOf, (key) => ({
      android: { collapse_key: key },
      ...(/^[\w-]{1,32}$/.test(key) && { webpush: { headers: { Topic: key } } }),
    })),
    apns: from(textOf, (key) => (fitsHeader(key) ? { headers: { 'apns-collapse-id': key } } : {})),
  },
  ttl: {
    takes:
      'seconds from the sending: `3600`; 0 is now or never; FCM at most 28 days, and more counts as that',
    android: '`android.ttl`',
    ios: 'the header `apns-expiration`: the instant, from the firing on',
    web: 'the header `TTL`',
    fcm: from(wholeOf, (seconds) => ({
      android: { ttl: `${seconds}s` },
      webpush: { headers: { TTL: String(seconds) } },
    })),
    // Any other value becomes an instant. Only the sender of the request can compute it.
    apns: from(wholeOf, (seconds) => (seconds === 0 ? { headers: { 'apns-expiration': '0' } } : {})),
  },
  priority: {
    takes: '`"high"` or `"normal"`',
    android: '`android.priority`: `high` wakes the device',
    ios: 'the header `apns-priority`: 10 or 5',
    web: 'the header `Urgency`',
    fcm: from(priorityOf, (priority) => ({
      android: { priority: priority.toUpperCase() },
      webpush: { headers: { Urgency: priority } },
    })),
    apns: from(priorityOf, (priority) => ({
      headers: { 'apns-priority': priority === 'high' ? '10' : '5' },
    })),
  },
  category: {
    takes: 'a name: `"ORDER"`',
    android: '`android.notification.click_action`, beside `title` or `image`',
    ios: '`aps.category`: its actions',
    web: 'nothing',
    fcm: from(textOf, (category) => ({ androidNotification: { click_action: category } })),
    apns: (category) => ({ aps: { category } }),
  },
  data: {
    takes: 'an object of texts: `{"page":"sale"}`; `custom` wins over it',
    android: 'members of `data`',
    ios: 'custom keys beside `aps`',
    web: 'members of `data`',
    fits: (value) => isObject(value) && Object.values(value).every((one) => typeof one === 'string'),
    fcm: from(textsOf, (data) => ({ data })),
    apns: from(textsOf, (custom) => ({ custom })),
  },
} as const satisfies Readonly<Record<string, PushOption>>;
export type PushOptionName = keyof typeof PUSH_OPTIONS;

const OPTIONS: Readonly<Record<string, PushOption>> = PUSH_OPTIONS;

/** Members with a provider's own name. They are passed on as they are: for APNs as headers, and as members of `aps`. */
export const APNS_HEADERS = ['apns-priority', 'apns-expiration', 'apns-collapse-id'] as const;
export const APS_MEMBERS = [
  'sound',
  'badge',
  'content-available',
  'mutable-content',
  'thread-id',
  'category',
] as const;

export const OPTIONS_OF_PROVIDER: Readonly<Record<DeviceType, readonly string[]>> = {
  GCM: ['android', 'fcm_options', 'notification', 'webpush'],
  APNS: [...APNS_HEADERS, ...APS_MEMBERS],
};

/**
 * What the member takes, where the value is of another kind. Undefined where the value fits or is null, and where the member is
 * unknown or a provider's own: refused-values.ts judges those.
 */
export function misfitOf(name: string, value: unknown, type: DeviceType): string | undefined {
  if (value === undefined || value === null) return undefined;
  const option = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined;
  if (option === undefined) return undefined;
  const isFit = option.fits?.(value, type) ?? option.fcm(value) !== undefined;
  return isFit ? undefined : option.takes.replaceAll('`', '');
}

export function isKnownOption(name: string, type: DeviceType): boolean {
  return Object.hasOwn(OPTIONS, name) || OPTIONS_OF_PROVIDER[type].includes(name);
}

/** What the `option` of a message adds, in the order of the table. A member that is null counts as absent. */
export function additionsOf<Type extends 'fcm' | 'apns'>(
  option: Members,
  type: Type,
): NonNullable<ReturnType<PushOption[Type]>>[] {
  return Object.entries(OPTIONS).flatMap(([name, { [type]: make }]) => {
    const value = Object.hasOwn(option, name) ? option[name] : undefined;
    const addition = value === undefined || value === null ? undefined : make(value);
    return addition === undefined ? [] : [addition as NonNullable<ReturnType<PushOption[Type]>>];
  });
}
