// Every member of every body of the interface (push-interface.md §2.1 to §2.5, schedules) and what is wrong with it: for the specs of bad
// input. Written from the documents, never from the service.

export interface Field {
  /** From the body down. */
  readonly at: readonly (string | number)[];
  readonly kind: 'text' | 'number' | 'boolean' | 'list' | 'object';
  readonly required?: true;
  /** Characters of the longest text. */
  readonly max?: number;
  /** An empty text, list or object is taken. */
  readonly mayBeEmpty?: true;
  /** Right by its kind, and wrong: case, form, calendar, length of a list. */
  readonly bad?: readonly unknown[];
  /** Besides the one of the right body. */
  readonly good?: readonly unknown[];
}

export interface Body {
  readonly operation: string;
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** A right one, new each time, with every member given. */
  readonly right: (serial: number) => unknown;
  readonly fields: readonly Field[];
}

const list = (length: number, value: unknown): unknown[] => Array.from({ length }, () => value);

const text = (at: Field['at'], max: number, rest: Partial<Field> = {}): Field => ({
  at,
  kind: 'text',
  max,
  ...rest,
});
const required = { required: true } as const;

const ZONES = [
  'Asia/Nowhere',
  '+09:00',
  'UTC+9',
  'Asia/Seoul ',
  'Seoul',
  '../Asia/Seoul',
  'x'.repeat(100),
  'asia/seoul',
];
const DATES = ['2026-02-30', '2026-13-01', '2026-1-1', '26-01-01', '2026-11-20T00:00:00Z', '0000-01-01', ' '];
const TIMES =
  '2099-02-29 10:00|2099-13-01 10:00|2099-00-10 10:00|2099-01-00 10:00|0000-01-01 10:00|2099-01-01 24:00|2099-01-01 10:60|2099-01-01T10:00|2099-01-01 10:00:00|2099-1-1 10:00|2099-01-01| 2099-01-01 10:00|tomorrow|20260-01-01 10:00|2020-01-01 10:00'.split(
    '|',
  );
const LANGUAGES = ['KO', 'Ko', 'kor', 'k', 'zh-hant', 'ZH-Hans', 'en-US', 'ko '];
const COUNTRIES = ['kr', 'Kr', 'KOR', 'K', 'K1', ' KR'];

const CONTENT = (at: readonly string[]): Field[] => [
  { at: [...at, 'content'], kind: 'text', mayBeEmpty: true },
  { at: [...at, 'custom'], kind: 'object', mayBeEmpty: true },
  { at: [...at, 'option'], kind: 'object', mayBeEmpty: true },
  { at: [...at, 'i18n'], kind: 'object', mayBeEmpty: true },
  // A language is a member like others: null is its absence. An empty one lacks its content.
  { at: [...at, 'i18n', 'ko'], kind: 'object' },
  { at: [...at, 'i18n', 'ko', 'content'], kind: 'text', required: true, mayBeEmpty: true },
];

const content = (): unknown => ({
  content: 'c',
  custom: { k: 'v' },
  option: { sound: 's' },
  i18n: { ko: { content: 'k' }, 'zh-Hant': { content: 'h' }, default: { content: 'd' } },
});

const MESSAGE: readonly Field[] = [
  { at: ['messageType'], kind: 'text', bad: ['ad', 'Notif', 'ADA', ' AD'], good: ['NOTIF'] },
  { at: ['target'], kind: 'object', ...required },
  { at: ['target', 'type'], kind: 'text', ...required, bad: ['EVERYBODY', 'USERS'], good: ['user', 'All'] },
  { at: ['target', 'deviceType'], kind: 'text', bad: ['IOS', 'FCM', 'GCM '], good: ['apns', 'FCMv1'] },
  { at: ['target', 'to'], kind: 'list', ...required, bad: [list(10_001, 'u')], good: [list(10_000, 'u')] },
  text(['target', 'to', 0], 256, required),
  { at: ['target', 'country'], kind: 'list', bad: [list(301, 'KR')], good: [list(300, 'KR')] },
  { at: ['target', 'country', 0], kind: 'text', ...required, bad: COUNTRIES },
  { at: ['target', 'timezone'], kind: 'list', bad: [list(1_001, 0)], good: [list(1_000, 0)] },
  { at: ['target', 'timezone', 0], kind: 'number', ...required, bad: [0.5, 64_801, -64_801, 1e300] },
  { at: ['message'], kind: 'object', ...required },
  { at: ['message', 'default'], kind: 'object', ...required, mayBeEmpty: true },
  ...['default', 'gcm', 'apns'].flatMap((type) => CONTENT(['message', type])),
  { at: ['message', 'gcm'], kind: 'object', mayBeEmpty: true },
  { at: ['message', 'apns'], kind: 'object', mayBeEmpty: true },
  {
    at: ['message', 'i18n'],
    kind: 'object',
    mayBeEmpty: true,
    bad: LANGUAGES.map((language) => ({ [language]: { content: 'x' } })),
  },
];

const reservation: readonly Field[] = [
  {
    at: ['reserveTime'],
    kind: 'text',
    bad: TIMES,
    good: ['9999-12-31 23:59', '2096-02-29 00:00'],
  },
  { at: ['reserveTimeZone'], kind: 'text', bad: [...ZONES, 'LOCALTIME'], good: ['UTC', 'America/St_Johns'] },
];

const SCHEDULE: readonly Field[] = [
  text(['scheduleDesc'], 4_000, { mayBeEmpty: true }),
  { at: ['scheduleTimeZone'], kind: 'text', bad: [...ZONES, 'localtime'], good: ['LOCALTIME', 'UTC'] },
  {
    at: ['scheduleTime'],
    kind: 'text',
    ...required,
    bad: ['24:00', '9:00', '09:60', '09:00:60', '0900', '09:00 ', '09:00Z', 'noon'],
    good: ['00:00', '23:59:59'],
  },
  { at: ['startDate'], kind: 'text', bad: DATES, good: ['2096-02-29'] },
  { at: ['endDate'], kind: 'text', bad: [...DATES, '2098-12-31'], good: ['2099-01-01', '9999-12-31'] },
  { at: ['dayOfWeeks'], kind: 'list', bad: [list(9, 'MON')], good: [['ALL'], list(8, 'MON')] },
  {
    at: ['dayOfWeeks', 0],
    kind: 'text',
    ...required,
    bad: ['mon', 'Mon', 'MONDAY', 'MO', 'all', 'MON,TUE', '1'],
    good: ['SUN'],
  },
];
const schedule = {
  scheduleDesc: 'd',
  scheduleTimeZone: 'Asia/Seoul',
  scheduleTime: '09:00',
  startDate: '2099-01-01',
  endDate: '2099-12-31',
  dayOfWeeks: ['MON', 'TUE'],
};
const code = { kind: 'text', bad: ['a b', 'a/b', 'a.b', '가', 'x'.repeat(65)] } as const;

/** Channels `c` and `d` and the schedule `s` exist. */
export const BODIES: readonly Body[] = [
  {
    operation: '§2.1 registerUser',
    method: 'POST',
    path: 'users',
    right: (serial) => ({
      userId: `u-${serial}`,
      country: 'KR',
      language: 'ko',
      timezone: 32_400,
      channelName: 'c',
      deviceType: 'GCM',
      deviceToken: `t-${serial}`,
      isNotificationAgreement: true,
      isAdAgreement: true,
      isNightAdAgreement: true,
    }),
    fields: [
      text(['userId'], 128, required),
      { at: ['country'], kind: 'text', bad: COUNTRIES, good: ['US'] },
      { at: ['language'], kind: 'text', bad: LANGUAGES, good: ['zh-Hant', 'zh-Hans', 'en'] },
      { at: ['timezone'], kind: 'number', bad: [0.5, 64_801, -64_801, 1e300], good: [-64_800, 0, 64_800] },
      text(['channelName'], 256),
      { at: ['deviceType'], kind: 'text', ...required, bad: ['gcm', 'Apns', 'IOS', 'GCM '], good: ['APNS'] },
      text(['deviceToken'], 4_096, required),
      { at: ['isNotificationAgreement'], kind: 'boolean', ...required, good: [false] },
      { at: ['isAdAgreement'], kind: 'boolean', ...required, good: [false] },
      { at: ['isNightAdAgreement'], kind: 'boolean', ...required, good: [false] },
    ],
  },
  {
    operation: '§2.2 createChannel',
    method: 'POST',
    path: 'channels',
    right: (serial) => ({ channelName: `c-${serial}`, channelDesc: 'd' }),
    fields: [text(['channelName'], 256, required), text(['channelDesc'], 4_000, { mayBeEmpty: true })],
  },
  {
    operation: '§4.2 updateChannels',
    method: 'PUT',
    path: 'channels',
    right: () => [
      { channelName: 'c', channelDesc: 'changed' },
      { channelName: 'd', channelDesc: 'changed' },
    ],
    fields: [
      { at: [1], kind: 'object', ...required },
      text([1, 'channelName'], 256, required),
      text([1, 'channelDesc'], 4_000, { mayBeEmpty: true }),
    ],
  },
  {
    operation: '§4.2 deleteChannels',
    method: 'DELETE',
    path: 'channels',
    right: () => [{ channelName: 'c' }, { channelName: 'd' }],
    fields: [{ at: [1], kind: 'object', ...required }, text([1, 'channelName'], 256, required)],
  },
  {
    operation: '§2.3 sendMessage',
    method: 'POST',
    path: 'messages',
    right: (serial) => ({
      messageType: 'AD',
      target: {
        type: 'USER',
        deviceType: 'GCM',
        to: ['u', 'v'],
        country: ['KR', 'US'],
        timezone: [0, 32_400],
      },
      message: { default: content(), gcm: content(), apns: content(), i18n: { en: { content: 'e' } } },
      serial,
    }),
    fields: MESSAGE,
  },
  {
    operation: '§2.3 sendMessage, reserved',
    method: 'POST',
    path: 'messages',
    right: (serial) => ({
      target: { type: 'ALL' },
      message: { default: { content: 'c' } },
      reserveTime: '2099-01-01 10:00',
      reserveTimeZone: 'Asia/Seoul',
      serial,
    }),
    fields: reservation,
  },
  {
    operation: '§2.3 sendMessage, scheduled',
    method: 'POST',
    path: 'messages',
    right: (serial) => ({
      target: { type: 'ALL' },
      message: { default: { content: 'c' } },
      scheduleCode: 's',
      serial,
    }),
    fields: [{ at: ['scheduleCode'], ...code }],
  },
  {
    operation: 'schedules createSchedule',
    method: 'POST',
    path: 'schedules',
    right: (serial) => ({ scheduleCode: `s-${serial}`, ...schedule }),
    fields: [{ at: ['scheduleCode'], ...code, ...required }, ...SCHEDULE],
  },
  {
    operation: 'schedules updateSchedule',
    method: 'PUT',
    path: 'schedules/s',
    right: () => ({ ...schedule, scheduleDesc: 'changed' }),
    fields: SCHEDULE,
  },
];

/** The place as a refusal names it. */
export function nameOf({ at }: Pick<Field, 'at'>): string {
  return at
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join('');
}

/** The body with another value there; undefined takes the member out. */
export function withValue(body: unknown, at: Field['at'], value: unknown): unknown {
  const [first, ...rest] = at;
  if (first === undefined) return value;
  const copy: Record<string | number, unknown> = Array.isArray(body)
    ? ([...(body as unknown[])] as unknown as Record<number, unknown>)
    : { ...(body as object) };
  copy[first] = withValue(copy[first], rest, value);
  return copy;
}

const KINDS: Readonly<Record<Field['kind'], unknown>> = {
  text: 'text',
  number: 7,
  boolean: true,
  list: [],
  object: {},
};

/** Values of every other kind, and those that are wrong in themselves. */
export function badValues({ kind, max, mayBeEmpty, bad = [] }: Field): unknown[] {
  const otherKinds = Object.entries(KINDS).flatMap(([other, value]) => (other === kind ? [] : [value]));
  const empty = { text: '', list: [], object: {}, number: undefined, boolean: undefined }[kind];
  return [
    ...otherKinds,
    ...(mayBeEmpty === true || empty === undefined ? [] : [empty]),
    ...(max === undefined ? [] : ['x'.repeat(max + 1), '🔑'.repeat(max + 1)]),
    ...bad,
  ];
}

export function goodValues({ kind, max, mayBeEmpty, good = [] }: Field): unknown[] {
  return [
    ...(mayBeEmpty === true ? [kind === 'text' ? '' : {}] : []),
    // Characters are code points: as many emoji as letters.
    ...(max === undefined ? [] : ['x'.repeat(max), '🔑'.repeat(max)]),
    ...good,
  ];
}
