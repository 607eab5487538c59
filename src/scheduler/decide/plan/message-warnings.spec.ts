import { describe, expect, it } from 'vitest';
import type { CommonMessage } from '../../../push-contract/messages.js';
import { messageWarnings } from './message-warnings.js';
import { aCampaign, aPlan } from '../../../../test/support/planning/planning.js';

const long = 'x'.repeat(4_200);
const everybody = { type: 'ALL', deviceType: null, country: [] } as const;
const warned = (message: CommonMessage, deviceType: 'GCM' | 'APNS' | null = null): string[] =>
  messageWarnings({ message, audience: { ...everybody, deviceType } }).map(
    ({ code, pointer, text }) =>
      `${code} ${pointer} ${/GCM|APNS/.exec(text)?.[0] ?? ''}${/ in \S+?(?= |:)/.exec(text)?.[0] ?? ''}`,
  );

describe('a message', () => {
  const cases: [string, CommonMessage, 'GCM' | 'APNS' | null, string[]][] = [
    ['that is as it should be', { default: { content: 'c', option: { title: 't', sound: 'x' } } }, null, []],
    [
      'with members of a provider',
      { default: { content: 'c', option: { android: {}, 'thread-id': 'x' } } },
      null,
      [],
    ],
    [
      'too large for both',
      { default: { content: long } },
      null,
      ['PAYLOAD_TOO_LARGE /message GCM', 'PAYLOAD_TOO_LARGE /message APNS'],
    ],
    [
      'too large for one that nobody asks for',
      { default: { content: 'c' }, apns: { content: long } },
      'GCM',
      [],
    ],
    [
      'too large in one language of one type',
      { default: { content: 'c' }, apns: { i18n: { ja: { content: long } } } },
      null,
      ['PAYLOAD_TOO_LARGE /message APNS in ja'],
    ],
    [
      'of three-byte letters, fewer than the limit',
      { default: { content: '가'.repeat(1_500) } },
      'APNS',
      ['PAYLOAD_TOO_LARGE /message APNS'],
    ],
    [
      'without a text',
      { default: { custom: { a: 1 } } },
      null,
      ['EMPTY_TEXT /message GCM', 'EMPTY_TEXT /message APNS'],
    ],
    [
      'with an empty text in one language',
      { default: { content: 'c' }, i18n: { ja: { content: '' } } },
      'GCM',
      ['EMPTY_TEXT /message GCM in ja'],
    ],
    [
      'with an empty text in "default", listed once',
      { default: { i18n: { default: { content: '' } } } },
      'GCM',
      ['EMPTY_TEXT /message GCM'],
    ],
    [
      'with an image and a link that are no addresses',
      { default: { content: 'c', option: { image: 'sale.png', link: 'the shop' } } },
      'GCM',
      ['WRONG_OPTION /message/default/option/image ', 'WRONG_OPTION /message/default/option/link '],
    ],
    [
      'with addresses of a web page and of the app',
      { default: { content: 'c', option: { image: 'https://shop.example/sale.png', link: 'shop://sale' } } },
      null,
      [],
    ],
    [
      'with options that nobody knows',
      { default: { content: 'c', option: { tittle: 't', 'a/b': 1 } }, gcm: { option: { 'thread-id': 'x' } } },
      'GCM',
      [
        'UNKNOWN_OPTION /message/default/option/tittle ',
        'UNKNOWN_OPTION /message/default/option/a~1b ',
        'UNKNOWN_OPTION /message/gcm/option/thread-id ',
      ],
    ],
    [
      'with options of another kind',
      {
        default: {
          content: 'c',
          option: {
            title: 5,
            image: '',
            link: {},
            badge: '3',
            ttl: 1.5,
            priority: 'HIGH',
            data: { page: 7 },
          },
        },
        gcm: { option: { webpush: 'x', notification: {}, sound: 3 } },
        apns: { option: { 'apns-expiration': {}, 'apns-priority': 5, collapse: 'x'.repeat(65) } },
      },
      null,
      [
        ...['title', 'image', 'link', 'badge', 'ttl', 'priority', 'data'].map(
          (member) => `WRONG_OPTION /message/default/option/${member} `,
        ),
        'WRONG_OPTION /message/gcm/option/sound ',
        'WRONG_OPTION /message/apns/option/collapse ',
        'PROVIDER_REFUSES /message ',
        'PROVIDER_REFUSES /message ',
      ],
    ],
    [
      'with options that are null, or of a kind that one device takes',
      {
        default: { content: 'c', option: { title: null, sound: { critical: 1 }, collapse: 'x'.repeat(65) } },
      },
      'GCM',
      [],
    ],
    [
      'with a collapse that no header of APNs holds',
      { default: { content: 'c', option: { collapse: '주문 7' } } },
      null,
      ['WRONG_OPTION /message/default/option/collapse '],
    ],
  ];
  it.each(cases)('%s', (_, message, deviceType, expected) => {
    expect(warned(message, deviceType)).toEqual(expected);
  });

  it('with what a provider refuses says where it is, what is taken, and what is sent', () => {
    const option = { ttl: 9_999_999, data: { from: 'x' }, link: 'shop://sale', 'apns-priority': 7 };
    const message = { default: { content: 'c', option, custom: { google_id: 1 } } };
    expect(messageWarnings({ message, audience: everybody })).toEqual(
      [
        'data.from: FCM takes no member of this name: from, message_type, collapse_key and what begins with google or gcm are its own; it is left out',
        'data.google_id: FCM takes no member of this name: from, message_type, collapse_key and what begins with google or gcm are its own; it is left out',
        'android.ttl: FCM takes a length of at most 28 days in seconds, "2419200s", not "9999999s"; "2419200s" is sent',
        'webpush.headers.TTL: FCM takes at most 28 days in seconds, "2419200", not "9999999"; "2419200" is sent',
        'apns-priority: APNs takes 1, 5 or 10, not 7; it is left out',
      ].map((text) => ({ code: 'PROVIDER_REFUSES', pointer: '/message', text })),
    );
  });

  it('says what an option takes, with an example, and shows what was given', () => {
    const [warning] = messageWarnings({
      message: { default: { content: 'c', option: { title: 5 } } },
      audience: everybody,
    });
    expect(warning?.text).toBe('"title" takes a text: "Shop"; 5 does nothing, or not on every device');
  });

  it('with a thousand unknown options is warned of ten, and of its empty text all the same', () => {
    const option = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`o${index}`, 1]));
    const warnings = warned({ default: { content: '', option } }, 'GCM');
    expect(warnings).toHaveLength(11);
    expect(warnings.at(-1)).toBe('EMPTY_TEXT /message GCM');
  });

  it('too large in 180 languages is warned of ten times, and rendered no more often', () => {
    let rendered = 0;
    const custom = {
      // Asked each time that a payload is made of it.
      toJSON: () => {
        rendered += 1;
        return long;
      },
    };
    const i18n = Object.fromEntries(
      Array.from({ length: 180 }, (_, index) => [`l${index}`, { content: 'c' }]),
    );
    expect(warned({ default: { content: 'c', custom: { custom }, i18n } })).toHaveLength(10);
    expect(rendered).toBeLessThan(20);
  });
});

it('a plan has the warnings of its message', () => {
  const message = { default: { content: '', option: { colour: 'red' } } };
  const campaign = aCampaign({ kind: 'now' }, { message });
  expect(aPlan(campaign, '2027-02-01T00:00Z').warnings.map(({ code }) => code)).toEqual(
    expect.arrayContaining(['EMPTY_TEXT', 'UNKNOWN_OPTION']),
  );
});

it.each([
  ['tittle', 'title'],
  ['apns-colapse-id', 'apns-collapse-id'],
])('of the misspelt option %s it names the near one', (given, meant) => {
  const message = { default: { content: 'c', option: { [given]: 'x' } } };
  const [warning] = aPlan(aCampaign({ kind: 'now' }, { message }), '2027-02-01T00:00Z').warnings;
  expect(warning?.text).toContain(`does nothing; did you mean "${meant}"?`);
});

it('of an option that nobody knows it names those that are known', () => {
  const message = { default: { content: 'c', option: { imageUrl: 'https://example.com/a.png' } } };
  const [warning] = aPlan(aCampaign({ kind: 'now' }, { message }), '2027-02-01T00:00Z').warnings;
  expect(warning).toMatchObject({ code: 'UNKNOWN_OPTION', text: expect.stringMatching(/ image, link, /) });
});
