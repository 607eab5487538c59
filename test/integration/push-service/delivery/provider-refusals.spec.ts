// The one table of what FCM and APNs refuse by their documents (refused-values.ts), row by row, against peers that refuse as
// documented: the value as it was given is refused, and what the mapping makes of it is taken.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderVariant, type Variant } from '../../../../src/push-contract/payload/render.js';
import {
  REFUSED_BY_APNS,
  REFUSED_BY_FCM,
  type RefusedValue,
} from '../../../../src/push-contract/payload/refused-values.js';
import type { Outcome } from '../../../../src/push-service/delivery/provider-port.js';
import { SteppedClock } from '../../../../src/platform/clock.js';
import { apnsStage, fcmStage, FakeCredentials, type Stage } from '../../../support/peers/provider-stages.js';

type Option = Readonly<Record<string, unknown>>;

const clock = new SteppedClock('2027-03-01T00:00:00Z');
let fcm: Stage;
let apns: Stage;
let serial = 0;

beforeAll(async () => {
  fcm = await fcmStage(new FakeCredentials(), clock);
  apns = await apnsStage(new FakeCredentials(), clock);
});
afterAll(async () => {
  for (const { provider, peer } of [fcm, apns]) {
    await provider.close(0);
    await peer.close();
  }
});

async function deliver(variant: Variant): Promise<Outcome | undefined> {
  const stage = variant.deviceType === 'GCM' ? fcm : apns;
  serial += 1;
  const job = {
    firingId: `${serial}`,
    requestId: 'r',
    serviceId: 's',
    variants: [variant],
    notAfter: undefined,
  };
  let outcome: Outcome | undefined;
  await stage.provider.deliver(
    { ...job, credential: { id: 'c', version: 1, kind: stage.kind } },
    [{ place: 0, deviceId: `${serial}`, token: `device-${serial}`, variant: 0 }],
    { signal: new AbortController().signal, report: (_place, one) => (outcome = one) },
  );
  return outcome;
}

const seen = new Set<string>();

/** What is sent of an option or custom, and the notes about it. */
function rendered(type: Variant['deviceType'], content: { option?: Option; custom?: Option }) {
  const notes: RefusedValue[] = [];
  const message = { default: { content: 'hello', ...content } };
  const variant = renderVariant(message, type, 'ko', (note) => notes.push(note));
  for (const { place } of notes) seen.add(place);
  return { variant, places: notes.map(({ place }) => place), body: JSON.parse(variant.body) as unknown };
}

/** A name within data may hold points itself. */
const namesOf = (place: string): string[] =>
  (/^((?:android\.|webpush\.)?data)\.(.+)$/.exec(place)?.slice(1) ?? [place]).flatMap((part, index) =>
    index === 0 ? part.split('.') : [part],
  );

/** An object with the value at the place, and nothing else. */
const at = ([name = '', ...rest]: readonly string[], value: unknown): Option => ({
  [name]: rest.length === 0 ? value : at(rest, value),
});

const REFUSED = { kind: 'failed', reason: 'INVALID_ARGUMENT' };
const CUT = '2419200';

describe('FCM', () => {
  const cases: [place: string, given: unknown, sent: unknown][] = [
    ...['android', 'notification', 'webpush', 'fcm_options'].map((place) => [place, 'x', undefined] as never),
    ...['notification', 'data', 'fcm_options'].map((name) => [`android.${name}`, ['x'], undefined] as never),
    ...['headers', 'data', 'notification', 'fcm_options'].map(
      (name) => [`webpush.${name}`, 7, undefined] as never,
    ),
    ...['data', 'android.data', 'webpush.data'].flatMap((map) =>
      [
        'from',
        'message_type',
        'collapse_key',
        'google',
        'google.sent_time',
        'gcm',
        'gcm.notification.tag',
      ].map((name) => [`${map}.${name}`, 'x', undefined] as never),
    ),
    ['android.data.count', 7, undefined],
    ['webpush.data.count', null, undefined],
    ['webpush.headers.Topic', 7, undefined],
    ['android.ttl', '2419201s', `${CUT}s`],
    ['android.ttl', '99999999999.5s', `${CUT}s`],
    ['android.ttl', '1h', undefined],
    ['android.ttl', 3_600, undefined],
    ['webpush.headers.TTL', '2419201', CUT],
    ['webpush.headers.TTL', '1.5', undefined],
    ['android.priority', 'urgent', undefined],
    ['android.notification.notification_count', 2_147_483_648, undefined],
    ['android.notification.notification_count', 1.5, undefined],
    ['webpush.fcm_options.link', 'http://shop.example', undefined],
    ['webpush.fcm_options.link', 'shop://sale', undefined],
  ];

  it.each(cases)('refuses %s of %j, and takes what is sent', async (place, given, sent) => {
    const names = namesOf(place);
    const raw = at(names, given);
    const as = { deviceType: 'GCM', language: 'ko', headers: {} } as const;
    expect(await deliver({ ...as, body: JSON.stringify({ data: {}, ...raw }) })).toEqual(REFUSED);
    const content = names[0] === 'data' ? { custom: raw['data'] as Option } : { option: raw };
    const { variant, places, body } = rendered('GCM', content);
    expect(await deliver(variant)).toEqual({ kind: 'sent' });
    expect(places).toEqual([place]);
    const there = names.reduce<unknown>((value, name) => (Object(value) as Option)[name], body);
    expect(there).toEqual(sent);
  });

  it('leaves out of option.data what it leaves out of custom', async () => {
    const { variant, places, body } = rendered('GCM', { option: { data: { from: 'a', page: 'b' } } });
    expect(await deliver(variant)).toEqual({ kind: 'sent' });
    expect([places, body]).toEqual([['data.from'], { data: { page: 'b', content: 'hello' } }]);
  });

  it.each<[string, Option, readonly string[]]>([
    ['a ttl beyond four weeks', { ttl: 2_419_201 }, ['android.ttl', 'webpush.headers.TTL']],
    [
      'a badge beyond int32',
      { title: 't', badge: 2_147_483_648 },
      ['android.notification.notification_count'],
    ],
    ['a link of the app: it goes to data alone', { link: 'myapp://sale' }, []],
    ['a link of http', { link: 'http://shop.example' }, []],
    ['ttl of 0, of four weeks', { ttl: 2_419_200 }, []],
  ])('takes %s', async (_what, option, expected) => {
    const { variant, places } = rendered('GCM', { option });
    expect(await deliver(variant)).toEqual({ kind: 'sent' });
    expect(places).toEqual(expected);
  });
});

describe('APNs', () => {
  it.each<[string, unknown, string]>([
    ['apns-priority', 7, 'BadPriority'],
    ['apns-priority', 'high', 'BadPriority'],
    ['apns-expiration', 'tomorrow', 'BadExpirationDate'],
    ['apns-expiration', -1, 'BadExpirationDate'],
    ['apns-collapse-id', 'x'.repeat(65), 'BadCollapseId'],
  ])('refuses %s of %j, and takes the push without it', async (name, value, reason) => {
    const { variant, places } = rendered('APNS', { option: { [name]: value } });
    const raw = { ...variant, headers: { ...variant.headers, [name]: String(value) } };
    expect(await deliver(raw)).toEqual({ kind: 'failed', reason });
    expect(await deliver(variant)).toEqual({ kind: 'sent' });
    expect([variant.headers, places]).toEqual([{ 'apns-push-type': 'alert' }, [name]]);
  });

  it('gets the names that FCM keeps for itself', async () => {
    const custom = { from: 'a', collapse_key: 'b', google: 'c', gcm: 'd', message_type: 'e' };
    const { variant, places, body } = rendered('APNS', { custom });
    expect(await deliver(variant)).toEqual({ kind: 'sent' });
    expect([places, body]).toEqual([[], { ...custom, aps: { alert: 'hello' } }]);
  });
});

it('every place of the table was tried', () => {
  const places = [...REFUSED_BY_FCM, ...REFUSED_BY_APNS].flatMap((rule) => rule.places);
  const pattern = (place: string): RegExp =>
    new RegExp(`^${place.replaceAll('.', '\\.').replace('*', '.+')}$`);
  expect(places.filter((place) => ![...seen].some((one) => pattern(place).test(one)))).toEqual([]);
});
