// What FCM and APNs refuse by their documents, for every device: one such value would fail all devices of its type. This one
// table corrects the request before it leaves. Its notes are the warnings of plans and of POST messages. Pure.
import { isObject, type Members } from './members.js';

/** A value that was left out of a request, or that another value replaces. */
export interface RefusedValue {
  /** Where in the request: `android.ttl`. */
  readonly place: string;
  /** What the provider takes, and what is sent. */
  readonly text: string;
}

/** Called with each value that is refused. */
export type NoteRefused = (refused: RefusedValue) => void;

interface Rule {
  /** Paths into the request; `*` is any name. */
  readonly places: readonly string[];
  /** What the provider takes there. */
  readonly takes: string;
  /** Returns the value itself where the provider takes it, else a replacement; undefined: the member is left out. */
  instead(value: unknown, name: string): unknown;
}

/** FCM, AndroidConfig.ttl: "the maximum time to live supported is 4 weeks"; seconds. */
const MOST_TTL = 2_419_200;
const MOST_INT32 = 2_147_483_647;

const takes =
  (isTaken: (value: unknown) => boolean) =>
  (value: unknown): unknown =>
    isTaken(value) ? value : undefined;
/** The first group of `form` is the seconds. */
const ttlLike =
  (form: RegExp, most: string) =>
  (value: unknown): unknown => {
    const seconds = typeof value === 'string' ? form.exec(value)?.[1] : undefined;
    if (seconds === undefined) return undefined;
    return Number(seconds) > MOST_TTL ? most : value;
  };
/** The value as the text of a header. */
const headerLike =
  (form: RegExp) =>
  (value: unknown): unknown => {
    const text = typeof value === 'number' ? String(value) : value;
    return typeof text === 'string' && form.test(text) ? text : undefined;
  };

export const isHttps = (value: unknown): boolean =>
  typeof value === 'string' && /^https:\/\/\S+$/i.test(value) && URL.canParse(value);

/** Reference of FCM HTTP v1, Message (projects.messages). A value of null counts as absent. */
export const REFUSED_BY_FCM: readonly Rule[] = [
  {
    places: ['android', 'notification', 'webpush', 'fcm_options'],
    takes: 'an object',
    instead: takes(isObject),
  },
  {
    places: ['android.notification', 'android.data', 'android.fcm_options'],
    takes: 'an object',
    instead: takes(isObject),
  },
  {
    places: ['webpush.headers', 'webpush.data', 'webpush.notification', 'webpush.fcm_options'],
    takes: 'an object',
    instead: takes(isObject),
  },
  {
    // Message.data: "The key should not be a reserved word". The words come from both generations of the document.
    places: ['data.*', 'android.data.*', 'webpush.data.*'],
    takes:
      'no member of this name: from, message_type, collapse_key and what begins with google or gcm are its own',
    instead: (value, name) =>
      /^(from|message_type|collapse_key)$|^(google|gcm)/.test(name) ? undefined : value,
  },
  {
    places: ['android.data.*', 'webpush.data.*', 'webpush.headers.*'],
    takes: 'a text',
    instead: takes((value) => typeof value === 'string'),
  },
  {
    places: ['android.ttl'],
    takes: `a length of at most 28 days in seconds, "${MOST_TTL}s"`,
    instead: ttlLike(/^(\d{1,18}(?:\.\d{1,9})?)s$/, `${MOST_TTL}s`),
  },
  {
    places: ['webpush.headers.TTL'],
    takes: `at most 28 days in seconds, "${MOST_TTL}"`,
    instead: ttlLike(/^(\d{1,18})$/, String(MOST_TTL)),
  },
  {
    places: ['android.priority'],
    takes: '"NORMAL" or "HIGH"',
    instead: takes((value) => typeof value === 'string' && /^(normal|high)$/i.test(value)),
  },
  {
    places: ['android.notification.notification_count'],
    takes: `a whole number of at most ${MOST_INT32}`,
    instead: takes(
      (value) => Number.isInteger(value) && Number(value) >= -MOST_INT32 && Number(value) <= MOST_INT32,
    ),
  },
  {
    places: ['webpush.fcm_options.link'],
    takes: 'an https address, such as "https://shop.example/sale"',
    instead: takes(isHttps),
  },
];

/** The headers of a request: "Sending notification requests to APNs" and "Handling notification responses from APNs". */
export const REFUSED_BY_APNS: readonly Rule[] = [
  { places: ['apns-priority'], takes: '1, 5 or 10', instead: headerLike(/^(1|5|10)$/) },
  {
    places: ['apns-expiration'],
    takes: 'whole seconds since 1970, such as 1798761600; 0 is now or never',
    instead: headerLike(/^\d{1,12}$/),
  },
  {
    places: ['apns-collapse-id'],
    takes: 'a text of at most 64 visible ASCII characters',
    instead: headerLike(/^[\u0021-\u007e]{1,64}$/),
  },
];

/** The request with only what the provider takes; the request itself where nothing is refused. */
export function withoutRefused<Request extends Members>(
  request: Request,
  provider: 'FCM' | 'APNs',
  note: NoteRefused | undefined,
): Request {
  let made: Members = request;
  for (const rule of provider === 'FCM' ? REFUSED_BY_FCM : REFUSED_BY_APNS) {
    for (const place of rule.places) {
      made = corrected(made, place.split('.'), (value, names) => {
        const name = names.at(-1) ?? '';
        // To FCM null is an absent member; in a map it is a value.
        if (value === null && !place.endsWith('*')) return value;
        const instead = rule.instead(value, name);
        if (instead === undefined || (instead !== value && instead !== String(value)))
          note?.(noteOf(provider, rule, { names, value, instead }));
        return instead;
      });
    }
  }
  // Members are left out, or replaced by values that the provider takes, so the result still has the type of the request.
  return made as Request;
}

type Visit = (value: unknown, names: readonly string[]) => unknown;

/** A copy without the members for which `visit` returns undefined; `members` itself where nothing changes. */
function corrected(
  members: Members,
  [name = '', ...rest]: readonly string[],
  visit: Visit,
  outer: readonly string[] = [],
): Members {
  const names = name === '*' ? Object.keys(members) : Object.hasOwn(members, name) ? [name] : [];
  const changed = new Map<string, unknown>();
  for (const each of names) {
    const value = members[each];
    const path = [...outer, each];
    let made = value;
    if (rest.length === 0) made = visit(value, path);
    else if (isObject(value)) made = corrected(value, rest, visit, path);
    if (made !== value) changed.set(each, made);
  }
  if (changed.size === 0) return members;
  const entries = Object.entries(members).map(([each, value]) => [
    each,
    changed.has(each) ? changed.get(each) : value,
  ]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Members;
}

/** How many characters of a name or a value a note shows. */
const SHOWN = 60;

function noteOf(
  provider: string,
  rule: Rule,
  { names, value, instead }: { names: readonly string[]; value: unknown; instead: unknown },
): RefusedValue {
  const place = names.map((name) => name.slice(0, SHOWN)).join('.');
  const given = rule.places.some((one) => one.endsWith('*')) ? '' : `, not ${shown(value)}`;
  const effect = instead === undefined ? 'it is left out' : `${shown(instead)} is sent`;
  return { place, text: `${place}: ${provider} takes ${rule.takes}${given}; ${effect}` };
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
