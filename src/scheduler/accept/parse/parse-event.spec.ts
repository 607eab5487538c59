/* oxlint-disable unicorn/no-thenable -- the contract names a member "then"; no promise meets it */
// Bad events and why each is refused: every row is one event and the whole list of its reasons, pointer and code.
import { describe, expect, it } from 'vitest';
import type { ZoneRules } from '../../../zone-rules/zone-rules.js';
import { parseEvent, type ParsedEvent } from './parse-event.js';
import type { RawEvent } from './raw-event.js';

const NOW = Date.parse('2026-11-21T03:00:00Z');
const zones = ['Asia/Seoul', 'America/New_York', 'Asia/Calcutta'];
const rules: ZoneRules = {
  source: 'test',
  version: '2026f',
  has: (zone) => zones.includes(zone),
  table: () => undefined,
  names: () => zones,
  zonesOfCountry: () => [],
};

type Json = Record<string, unknown>;

function scheduledData(changes: Json = {}): Json {
  return {
    serviceId: 'shop-app',
    messageType: 'NOTIF',
    audience: { type: 'CHANNEL', to: ['vip'] },
    message: { default: { content: 'hello' } },
    delivery: { now: true },
    ...changes,
  };
}

function scheduled(data: Json = {}, envelope: Json = {}): Json {
  return {
    specversion: '1.0',
    id: 'e-1',
    source: '/shop/promotions',
    type: 'carillon.campaign.scheduled.v1',
    subject: 'spring-sale',
    time: '2026-11-21T03:00:00Z',
    datacontenttype: 'application/json',
    data: scheduledData(data),
    ...envelope,
  };
}

function canceled(data: Json = {}, envelope: Json = {}): Json {
  return scheduled(
    {},
    { type: 'carillon.campaign.canceled.v1', data: { serviceId: 'shop-app', ...data }, ...envelope },
  );
}

function raw(body: unknown, changes: Partial<RawEvent> = {}): RawEvent {
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return { via: 'kafka', headers: {}, body: bytes, ...changes };
}

function parse(event: RawEvent): ParsedEvent {
  return parseEvent(event, { now: NOW, rules });
}

function verdictOf(event: RawEvent): string[] {
  const parsed = parse(event);
  return parsed.kind === 'rejection'
    ? parsed.reasons.map(({ pointer, code }) => `${pointer} ${code}`)
    : ['taken'];
}

const without = (from: Json, member: string): Json =>
  Object.fromEntries(Object.entries(from).filter(([name]) => name !== member));
const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const withCustom = (json: string): string =>
  JSON.stringify(scheduled({ message: { default: { custom: { x: 'HERE' } } } })).replace('"HERE"', json);

describe('an event that can be taken', () => {
  const good: [string, unknown][] = [
    ['now', scheduled()],
    ['an instant with Z', scheduled({ delivery: { at: '2027-03-01T00:00:00Z' } })],
    ['an instant with an offset', scheduled({ delivery: { at: '2027-03-01T09:00:00+09:00' } })],
    [
      'a split by country that all segments name',
      scheduled({
        audience: null,
        delivery: {
          at: '2027-03-01T09:00',
          zone: 'recipient',
          segments: [{ zone: 'Asia/Seoul', audience: { type: 'CHANNEL', to: ['vip'], country: ['KR'] } }],
        },
        policy: { split: ['country'] },
      }),
    ],
    ['a wall time in a zone', scheduled({ delivery: { at: '2027-03-01T09:00', zone: 'Asia/Seoul' } })],
    ['a wall time with seconds', scheduled({ delivery: { at: '2027-03-01T09:00:30', zone: 'Asia/Seoul' } })],
    ['a link name', scheduled({ delivery: { at: '2027-03-01T09:00', zone: 'Asia/Calcutta' } })],
    ['an instant in lower case (RFC 3339 §5.6)', scheduled({ delivery: { at: '2027-03-01t00:00:00z' } })],
    ['a wall time in lower case', scheduled({ delivery: { at: '2027-03-01t09:00', zone: 'Asia/Seoul' } })],
    ['its own time in lower case', scheduled({}, { time: '2026-11-21t03:00:00z' })],
    ["the recipient's clock", scheduled({ delivery: { at: '2027-03-01T09:00', zone: 'recipient' } })],
    [
      'segments in place of an audience, one with a zone that is none',
      scheduled({
        audience: null,
        delivery: {
          at: '2027-03-01T09:00',
          zone: 'recipient',
          segments: [
            { zone: 'Asia/Seoul', audience: { type: 'USER', to: ['a'] } },
            { zone: 'Mars/Olympus', audience: { type: 'USER', to: ['b'] } },
          ],
        },
      }),
    ],
    [
      'a schedule code with an end',
      scheduled({ delivery: { scheduleCode: 'WEEKLY-NEWS', until: '2027-06-30T00:00:00Z' } }),
    ],
    ['every night policy', scheduled({ messageType: 'AD', policy: { night: 'defer' } })],
    [
      'policies spelt out with their defaults',
      scheduled({
        policy: {
          deadline: 'P1D',
          handoff: 'reserve',
          lateness: { max: 'PT30M', then: 'expire' },
          split: [],
          testTo: [],
        },
      }),
    ],
    ['a default of the project switched off', scheduled({ policy: { quietHours: 'none', pace: 'none' } })],
    [
      'explicit nulls for what is optional',
      scheduled({ name: null, tags: null, policy: { quietHours: null }, planHash: null }),
    ],
    [
      'free names under custom and option',
      scheduled({
        message: { default: { content: 'x', custom: { any: { deep: [1] } }, option: { sound: 'x' } } },
      }),
    ],
    [
      'texts by language',
      scheduled({
        message: {
          default: { content: 'x' },
          i18n: { default: { content: 'x' }, ja: { content: 'y' }, 'zh-Hant': { content: 'z' } },
        },
      }),
    ],
    [
      'attributes of CloudEvents we do not know',
      scheduled({}, { traceparent: '00-x', partitionkey: 'k', dataschema: 'https://x/y' }),
    ],
    ['a cancel', canceled({ reason: 'sold out' })],
    [
      '50 000 ids',
      scheduled({ audience: { type: 'USER', to: Array.from({ length: 50_000 }, (_, id) => `u${id}`) } }),
    ],
    ['JSON as deep as allowed', withCustom(nested(32 - 5))],
    ['the largest exact integer', withCustom('9007199254740991')],
    ['a surrogate pair', withCustom('"\\ud83d\\ude00"')],
    [
      'a byte order mark',
      Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(JSON.stringify(scheduled()))]),
    ],
    ['time 30 days ago', scheduled({}, { time: '2026-10-22T03:00:00Z' })],
    ['time 5 minutes ahead', scheduled({}, { time: '2026-11-21T03:05:00Z' })],
  ];
  it.each(good)('%s', (_, body) => {
    expect(verdictOf(raw(body))).toEqual(['taken']);
  });

  it('in the binary form of Kafka, attributes in ce_ headers', () => {
    const { data, ...attributes } = scheduled();
    const headers = Object.fromEntries(
      Object.entries(attributes).map(([name, value]) =>
        name === 'datacontenttype' ? ['content-type', String(value)] : [`ce_${name}`, String(value)],
      ),
    );
    const parsed = parse(raw(data, { headers }));
    expect(parsed).toMatchObject({ kind: 'event', event: { kind: 'scheduled', campaignId: 'spring-sale' } });
    expect(parsed).toMatchObject({ event: { contentHash: hashOf(raw(scheduled())) } });
  });

  it('in the binary form of HTTP, header values percent-encoded', () => {
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'ce-specversion': '1.0',
      'ce-id': 'caf%C3%A9',
      'ce-source': '/shop',
      'ce-type': 'carillon.campaign.scheduled.v1',
      'ce-subject': 'spring-sale',
      'ce-time': '2026-11-21T03:00:00Z',
    };
    expect(parse(raw(scheduledData(), { via: 'http', headers }))).toMatchObject({ event: { id: 'café' } });
  });

  it('in the binary form of HTTP, header values in quotes (section 3.1.3.2 of the HTTP binding)', () => {
    const headers = {
      'content-type': 'application/json',
      'ce-specversion': '"1.0"',
      'ce-id': '"caf%C3%A9 \\"one\\" \\\\"',
      'ce-source': '/shop',
      'ce-type': '"carillon.campaign.scheduled.v1"',
      'ce-subject': '"spring-sale"',
      'ce-time': '2026-11-21T03:00:00Z',
    };
    const parsed = parse(raw(scheduledData(), { via: 'http', headers }));
    expect(parsed).toMatchObject({
      kind: 'event',
      event: { id: 'café "one" \\', campaignId: 'spring-sale' },
    });
  });

  it.each(['caf%E9', '100%', '%zz', '"%C3"'])('a header whose percent sequences are none: %s', (id) => {
    const headers = {
      'ce-specversion': '1.0',
      'ce-id': id,
      'ce-source': '/shop',
      'ce-type': 'carillon.campaign.scheduled.v1',
      'ce-subject': 'spring-sale',
      'ce-time': '2026-11-21T03:00:00Z',
    };
    expect(verdictOf(raw(scheduledData(), { via: 'http', headers }))).toEqual(['/id WRONG_FORMAT']);
    // In Kafka headers are plain UTF-8.
    const kafka = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.replace('-', '_'), value]),
    );
    expect(verdictOf(raw(scheduledData(), { headers: kafka }))).toEqual(['taken']);
  });

  it.each(['kafka', 'http'] as const)('a header that cannot be stored, over %s', (via) => {
    const [prefix, id] = via === 'http' ? ['ce-', 'a%00b'] : ['ce_', 'a\0b'];
    const { data, datacontenttype: _, ...attributes } = scheduled({}, { id });
    const headers = Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [`${prefix}${name}`, String(value)]),
    );
    expect(verdictOf(raw(data, { via, headers }))).toEqual(['/id NOT_STORABLE']);
  });

  it.each(['kafka', 'http'] as const)(
    'in the structured form beside headers of tracing alone, over %s',
    (via) => {
      const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
      const name = via === 'kafka' ? 'ce_traceparent' : 'ce-traceparent';
      const parsed = parse(raw(scheduled(), { via, headers: { [name]: trace } }));
      expect(parsed).toMatchObject({ kind: 'event', trace: { traceparent: trace } });
    },
  );

  it('with data that is null, or the same, beside data_base64', () => {
    const { data, ...rest } = scheduled();
    const encoded = Buffer.from(JSON.stringify(data)).toString('base64');
    for (const beside of [{ data: null }, { data }])
      expect(hashOf(raw({ ...rest, ...beside, data_base64: encoded }))).toEqual(hashOf(raw(scheduled())));
    expect(hashOf(raw({ ...rest, data, data_base64: null }))).toEqual(hashOf(raw(scheduled())));
  });

  it.each<[string, unknown, string]>([
    ['other data', 'eyJzZXJ2aWNlSWQiOiJzaG9wLWFwcCJ9', '/data_base64 WRONG_VALUE'],
    ['letters that are none of base64', 'eyJ*', '/data_base64 WRONG_FORMAT'],
    ['the base64 of a URL', 'eyI_Ijoi_yJ9', '/data_base64 WRONG_FORMAT'],
    ['an end that is cut off', 'eyJzZXJ2aWNlSWQiOiJzaG9wLWFwcCJ', '/data_base64 WRONG_FORMAT'],
    ['a number', 7, '/data_base64 WRONG_FORMAT'],
  ])('refuses data_base64 of %s', (_what, encoded, expected) => {
    expect(verdictOf(raw({ ...scheduled(), data_base64: encoded }))).toContain(expected);
  });

  it('with its data as data_base64', () => {
    const { data, ...rest } = scheduled();
    const encoded = Buffer.from(JSON.stringify(data)).toString('base64');
    expect(hashOf(raw({ ...rest, data_base64: encoded }))).toEqual(hashOf(raw(scheduled())));
  });

  it.each([
    ['the key of its campaign', Buffer.from('shop-app/spring-sale')],
    ['no key', null],
  ])('with %s', (_, key) => {
    expect(verdictOf(raw(scheduled(), { key }))).toEqual(['taken']);
  });

  it('has a content hash over type, subject and data alone, whatever their order', () => {
    const one = hashOf(raw(scheduled()));
    const other = scheduled({}, { id: 'e-2', source: '/other', time: '2026-11-20T00:00:00Z' });
    const reordered = { ...other, data: Object.fromEntries(Object.entries(scheduledData()).reverse()) };
    expect(hashOf(raw(reordered))).toEqual(one);
    expect(hashOf(raw(scheduled({}, { subject: 'autumn-sale' })))).not.toEqual(one);
    expect(hashOf(raw(scheduled({ name: 'x' })))).not.toEqual(one);
  });
});

function hashOf(event: RawEvent): Buffer | undefined {
  const parsed = parse(event);
  return parsed.kind === 'event' ? parsed.event.contentHash : undefined;
}

describe('bytes that are no event', () => {
  const envelopeOnly = [
    '/specversion REQUIRED',
    '/id REQUIRED',
    '/source REQUIRED',
    '/type REQUIRED',
    '/subject REQUIRED',
    '/time REQUIRED',
  ];
  const bad: [string, unknown, string[]][] = [
    ['nothing', '', [' NOT_JSON']],
    ['half an object', '{"specversion":"1.0",', [' NOT_JSON']],
    ['a comment', '{"a":1}//x', [' NOT_JSON']],
    ['an array', '[]', [' WRONG_TYPE']],
    ['null', 'null', [' WRONG_TYPE']],
    ['a number', '7', [' WRONG_TYPE']],
    ['an empty object', '{}', envelopeOnly],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), [' NOT_UTF8']],
    ['UTF-16', Buffer.from('{}', 'utf16le'), [' NOT_JSON']],
    ['more than 1 MiB', Buffer.alloc(1024 * 1024 + 1, 0x20), [' TOO_LARGE']],
    ['100 000 brackets', nested(100_000), [`${'/0'.repeat(32)} TOO_DEEP`]],
    ['33 levels', withCustom(nested(32 - 4)), [`/data/message/default/custom/x${'/0'.repeat(27)} TOO_DEEP`]],
    [
      'a member given twice',
      JSON.stringify(scheduled()).replace('"id":"e-1"', '"id":"e-1","id":"e-2"'),
      ['/id DUPLICATE_MEMBER'],
    ],
    [
      'a member given twice, once escaped',
      JSON.stringify(scheduled()).replace('"id":"e-1"', '"id":"e-1","\\u0069d":"e-2"'),
      ['/id DUPLICATE_MEMBER'],
    ],
    [
      '__proto__ under custom',
      withCustom('{"__proto__":{"a":1}}'),
      ['/data/message/default/custom/x/__proto__ FORBIDDEN_MEMBER'],
    ],
    [
      'constructor at the top',
      JSON.stringify(scheduled()).replace('"id"', '"constructor":{},"id"'),
      ['/constructor FORBIDDEN_MEMBER'],
    ],
    ['an escaped NUL', withCustom('"a\\u0000b"'), ['/data/message/default/custom/x NOT_STORABLE']],
    [
      'a NUL in a name',
      withCustom('{"a\\u0000":1}'),
      ['/data/message/default/custom/x/a\uFFFD NOT_STORABLE'],
    ],
    ['a lone high surrogate', withCustom('"\\ud83d"'), ['/data/message/default/custom/x NOT_STORABLE']],
    ['a lone low surrogate', withCustom('"\\ude00x"'), ['/data/message/default/custom/x NOT_STORABLE']],
    [
      'an integer no double holds',
      withCustom('12345678901234567890'),
      ['/data/message/default/custom/x NUMBER_NOT_EXACT'],
    ],
    [
      'a number that is infinite',
      withCustom('[1,1e400]'),
      ['/data/message/default/custom/x/1 NUMBER_NOT_EXACT'],
    ],
  ];
  it.each(bad)('%s', (_, body, reasons) => {
    expect(verdictOf(raw(body))).toEqual(reasons);
  });

  it('a CloudEvents batch in one record', () => {
    const headers = { 'content-type': 'application/cloudevents-batch+json' };
    expect(verdictOf(raw([scheduled()], { headers }))).toEqual([' WRONG_FORMAT']);
  });

  it('headers of a megabyte count as part of the event', () => {
    expect(verdictOf(raw(scheduled(), { headers: { x: 'y'.repeat(1024 * 1024) } }))).toEqual([' TOO_LARGE']);
  });
});

describe('an envelope that is wrong', () => {
  const bad: [string, Json, string[]][] = [
    ['specversion 0.3', { specversion: '0.3' }, ['/specversion WRONG_VALUE']],
    ['a number as id', { id: 7 }, ['/id WRONG_TYPE']],
    ['an empty id', { id: '' }, ['/id TOO_SHORT']],
    ['an id of 256', { id: 'x'.repeat(256) }, ['/id TOO_LONG']],
    ['a source with a space', { source: '/shop promotions' }, ['/source WRONG_FORMAT']],
    ['an unknown type', { type: 'carillon.campaign.scheduled.v2' }, ['/type UNKNOWN_TYPE']],
    ['a subject with a slash', { subject: 'a/b' }, ['/subject WRONG_FORMAT']],
    ['a subject of 129', { subject: 'x'.repeat(129) }, ['/subject WRONG_FORMAT']],
    ['time without offset', { time: '2026-11-21T03:00:00' }, ['/time WRONG_FORMAT']],
    ['time of 30 February', { time: '2026-02-30T03:00:00Z' }, ['/time NO_SUCH_TIME']],
    ['time of the year 0', { time: '0001-01-01T00:00:00+14:00' }, ['/time NO_SUCH_TIME']],
    ['time as a number', { time: 1_795_230_000 }, ['/time WRONG_TYPE']],
    ['time 30 days and a second ago', { time: '2026-10-22T02:59:59Z' }, ['/time TIME_TOO_OLD']],
    ['time more than 5 minutes ahead', { time: '2026-11-21T03:05:01Z' }, ['/time TIME_AHEAD']],
    ['data as XML', { datacontenttype: 'application/xml' }, ['/datacontenttype WRONG_FORMAT']],
    ['no data', { data: undefined }, ['/data REQUIRED']],
    ['data null', { data: null }, ['/data WRONG_TYPE']],
    ['data as text', { data: '{}' }, ['/data WRONG_TYPE']],
    ['data as a list', { data: [] }, ['/data WRONG_TYPE']],
  ];
  it.each(bad)('%s', (_, envelope, reasons) => {
    expect(verdictOf(raw(scheduled({}, envelope)))).toEqual(reasons);
  });

  it.each(['specversion', 'id', 'source', 'type', 'subject', 'time'])('without %s', (member) => {
    expect(verdictOf(raw(without(scheduled(), member)))).toEqual([`/${member} REQUIRED`]);
  });

  it('counts characters as the published schema does: an emoji is one', () => {
    const bell = '\u{1F514}';
    const longest = scheduled(
      {
        name: bell.repeat(255),
        audience: { type: 'USER', to: [bell.repeat(128)] },
        tags: [bell.repeat(64)],
      },
      { id: bell.repeat(255) },
    );
    expect(verdictOf(raw(longest))).toEqual(verdictOf(raw(scheduled())));
    expect(parse(raw(scheduled({}, { id: bell.repeat(256) })))).toMatchObject({
      reasons: [{ pointer: '/id', text: 'must have at most 255 characters, not 256' }],
    });
  });

  it("the key of another campaign, which would break the campaign's order", () => {
    expect(verdictOf(raw(scheduled(), { key: Buffer.from('shop-app/autumn-sale') }))).toEqual([
      ' KEY_MISMATCH',
    ]);
    expect(verdictOf(raw(scheduled(), { key: Buffer.from([0xff]) }))).toEqual([' KEY_MISMATCH']);
  });
});

describe('data that is wrong', () => {
  const id = (length: number) => 'x'.repeat(length);
  const many = (count: number) => Array.from({ length: count }, (_, index) => `u${index}`);
  const segment = (audience: Json, zone = 'Asia/Seoul'): Json => ({ zone, audience });
  const recipient = (segments: Json[]): Json => ({ at: '2027-03-01T09:00', zone: 'recipient', segments });
  const bad: [string, Json, string[]][] = [
    ['an empty serviceId', { serviceId: '' }, ['/data/serviceId TOO_SHORT']],
    ['a name that is a number', { name: 7 }, ['/data/name WRONG_TYPE']],
    ['tags as text', { tags: 'sale' }, ['/data/tags WRONG_TYPE']],
    ['a message type in lower case', { messageType: 'ad' }, ['/data/messageType WRONG_VALUE']],
    ['a member nobody knows', { mesage: {} }, ['/data/mesage UNKNOWN_MEMBER']],
    [
      'a member nobody knows, deep down',
      { policy: { dst: { gab: 'skip' } } },
      ['/data/policy/dst/gab UNKNOWN_MEMBER'],
    ],
    [
      'an unknown member within a segment',
      { audience: null, delivery: recipient([segment({ type: 'ALL', too: [] })]) },
      ['/data/delivery/segments/0/audience/too UNKNOWN_MEMBER'],
    ],
    ['no message default', { message: {} }, ['/data/message/default REQUIRED']],
    [
      'content as a number',
      { message: { default: { content: 5 } } },
      ['/data/message/default/content WRONG_TYPE'],
    ],
    [
      'custom as a list',
      { message: { default: { custom: [] } } },
      ['/data/message/default/custom WRONG_TYPE'],
    ],
    [
      'a language in upper case',
      { message: { default: {}, i18n: { JA: { content: 'x' } } } },
      ['/data/message/i18n/JA UNKNOWN_MEMBER'],
    ],
    [
      'a text by language without content',
      { message: { default: {}, i18n: { ja: {} } } },
      ['/data/message/i18n/ja/content REQUIRED'],
    ],
    ['no audience', { audience: undefined }, ['/data/audience REQUIRED']],
    [
      'an audience type in lower case',
      { audience: { type: 'user', to: ['a'] } },
      ['/data/audience/type WRONG_VALUE'],
    ],
    ['ALL with ids', { audience: { type: 'ALL', to: ['a'] } }, ['/data/audience AUDIENCE_UNCLEAR']],
    ['CHANNEL without names', { audience: { type: 'CHANNEL' } }, ['/data/audience/to REQUIRED']],
    ['USER with no ids', { audience: { type: 'USER', to: [] } }, ['/data/audience/to TOO_SHORT']],
    [
      'ids that are numbers',
      { audience: { type: 'USER', to: [1, 'b', null] } },
      ['/data/audience/to/0 WRONG_TYPE', '/data/audience/to/2 WRONG_TYPE'],
    ],
    ['an id of 129', { audience: { type: 'USER', to: ['a', id(129)] } }, ['/data/audience/to/1 TOO_LONG']],
    [
      'an id of 129 emoji',
      { audience: { type: 'USER', to: ['\u{1F514}'.repeat(129)] } },
      ['/data/audience/to/0 TOO_LONG'],
    ],
    ['50 001 ids', { audience: { type: 'USER', to: many(50_001) } }, ['/data/audience/to TOO_LONG']],
    [
      '50 001 ids over two segments',
      {
        audience: null,
        delivery: recipient([
          segment({ type: 'USER', to: many(25_000) }),
          segment({ type: 'USER', to: many(25_001) }),
        ]),
      },
      ['/data TOO_LONG'],
    ],
    ['1 001 channels', { audience: { type: 'CHANNEL', to: many(1001) } }, ['/data/audience/to TOO_LONG']],
    [
      'a country in lower case',
      { audience: { type: 'ALL', country: ['KR', 'us'] } },
      ['/data/audience/country/1 WRONG_FORMAT'],
    ],
    [
      'a device type of long ago',
      { audience: { type: 'ALL', deviceType: 'ADM' } },
      ['/data/audience/deviceType WRONG_VALUE'],
    ],
    [
      'a list beside segments',
      {
        audience: { type: 'USER', list: 'vip-2027' },
        delivery: {
          at: '2027-03-01T09:00',
          zone: 'recipient',
          segments: [{ zone: 'Asia/Seoul', audience: { type: 'USER', to: ['u'] } }],
        },
      },
      ['/data/audience/list AUDIENCE_UNCLEAR'],
    ],
    [
      'a list with blanks in its name',
      { audience: { type: 'USER', list: 'vip 2027' } },
      ['/data/audience/list WRONG_FORMAT'],
    ],
    ['no delivery', { delivery: undefined }, ['/data/delivery REQUIRED']],
    ['an empty delivery', { delivery: {} }, ['/data/delivery DELIVERY_UNCLEAR']],
    [
      'two deliveries',
      { delivery: { now: true, at: '2027-03-01T00:00:00Z' } },
      ['/data/delivery DELIVERY_UNCLEAR'],
    ],
    ['now: false', { delivery: { now: false } }, ['/data/delivery/now WRONG_VALUE']],
    [
      'now with a zone',
      { delivery: { now: true, zone: 'Asia/Seoul' } },
      ['/data/delivery/zone DELIVERY_UNCLEAR'],
    ],
    ['a bare date-time', { delivery: { at: '2027-03-01T09:00' } }, ['/data/delivery/at ZONE_MISSING']],
    ['a date without a time', { delivery: { at: '2027-03-01' } }, ['/data/delivery/at WRONG_FORMAT']],
    [
      'a time with a blank',
      { delivery: { at: '2027-03-01 09:00', zone: 'Asia/Seoul' } },
      ['/data/delivery/at WRONG_FORMAT'],
    ],
    [
      'an offset and a zone',
      { delivery: { at: '2027-03-01T09:00:00+09:00', zone: 'Asia/Seoul' } },
      ['/data/delivery/at DELIVERY_UNCLEAR'],
    ],
    [
      '30 February',
      { delivery: { at: '2027-02-30T09:00', zone: 'Asia/Seoul' } },
      ['/data/delivery/at NO_SUCH_TIME'],
    ],
    [
      '29 February of a common year, as an instant',
      { delivery: { at: '2027-02-29T09:00:00Z' } },
      ['/data/delivery/at NO_SUCH_TIME'],
    ],
    [
      'the year 0 of a wall',
      { delivery: { at: '0000-01-01T00:00', zone: 'America/New_York' } },
      ['/data/delivery/at NO_SUCH_TIME'],
    ],
    [
      'the year 0 in UTC',
      { delivery: { at: '0001-01-01T00:00:00+14:00' } },
      ['/data/delivery/at NO_SUCH_TIME'],
    ],
    [
      'a year that is not of four digits on every clock',
      { delivery: { at: '9999-12-31T23:59', zone: 'America/New_York' } },
      ['/data/delivery/at NO_SUCH_TIME'],
    ],
    [
      'an end of a standing message before all clocks',
      { delivery: { scheduleCode: 'DAILY', until: '1969-12-31T23:59:59Z' } },
      ['/data/delivery/until NO_SUCH_TIME'],
    ],
    [
      'durations of more than a year',
      { policy: { deadline: 'P999999999D', jitter: 'P99999999D', lateness: { max: 'PT99999999999H' } } },
      [
        '/data/policy/deadline WRONG_VALUE',
        '/data/policy/lateness/max WRONG_VALUE',
        '/data/policy/jitter WRONG_VALUE',
      ],
    ],
    [
      '24 o’clock',
      { delivery: { at: '2027-03-01T24:00', zone: 'Asia/Seoul' } },
      ['/data/delivery/at WRONG_FORMAT'],
    ],
    [
      'a zone that is none',
      { delivery: { at: '2027-03-01T09:00', zone: 'Asia/Soul' } },
      ['/data/delivery/zone ZONE_UNKNOWN'],
    ],
    [
      'a zone in lower case',
      { delivery: { at: '2027-03-01T09:00', zone: 'asia/seoul' } },
      ['/data/delivery/zone ZONE_UNKNOWN'],
    ],
    [
      'an abbreviation as a zone',
      { delivery: { at: '2027-03-01T09:00', zone: 'KST' } },
      ['/data/delivery/zone ZONE_UNKNOWN'],
    ],
    [
      'a schedule code with a blank',
      { delivery: { scheduleCode: 'WEEKLY NEWS' } },
      ['/data/delivery/scheduleCode WRONG_FORMAT'],
    ],
    [
      'until without a schedule',
      { delivery: { now: true, until: '2027-06-30T00:00:00Z' } },
      ['/data/delivery/until DELIVERY_UNCLEAR'],
    ],
    [
      'segments without the recipient clock',
      { delivery: { at: '2027-03-01T09:00', zone: 'Asia/Seoul', segments: [segment({ type: 'ALL' })] } },
      ['/data/delivery/segments DELIVERY_UNCLEAR'],
    ],
    [
      'a recurrence that is no rule',
      { delivery: { at: '2027-03-01T09:00', zone: 'Asia/Seoul', recurrence: 'FREQ=SOMETIMES' } },
      ['/data/delivery/recurrence INVALID_RECURRENCE'],
    ],
    ['a night policy nobody knows', { policy: { night: 'wait' } }, ['/data/policy/night WRONG_VALUE']],
    ['a duration that is none', { policy: { deadline: '1 day' } }, ['/data/policy/deadline WRONG_FORMAT']],
    [
      'a lateness in months',
      { policy: { lateness: { max: 'P1M' } } },
      ['/data/policy/lateness/max WRONG_FORMAT'],
    ],
    [
      'a floor in no zone',
      { policy: { passedZone: 'floor:Nowhere' } },
      ['/data/policy/passedZone ZONE_UNKNOWN'],
    ],
    [
      'quiet hours without an end, with a member nobody knows',
      { policy: { quietHours: { start: '22:00', ent: '07:00', action: 'defer' } } },
      ['/data/policy/quietHours/end REQUIRED', '/data/policy/quietHours/ent UNKNOWN_MEMBER'],
    ],
    [
      'quiet hours and a pace in words nobody knows',
      { policy: { quietHours: 'never', pace: 7 } },
      ['/data/policy/quietHours WRONG_VALUE', '/data/policy/pace WRONG_VALUE'],
    ],
    [
      'a pace of nothing, and quiet hours from no time of day',
      { policy: { pace: { perMinute: 0 }, quietHours: { start: '7:00', end: '08:00', action: 'skip' } } },
      ['/data/policy/quietHours/start WRONG_FORMAT', '/data/policy/pace/perMinute TOO_SHORT'],
    ],
    ['21 test ids', { policy: { testTo: many(21) } }, ['/data/policy/testTo TOO_LONG']],
    [
      'a split by country without countries',
      { policy: { split: ['country'] } },
      ['/data/audience/country REQUIRED'],
    ],
    [
      'a split by country that a segment does not name',
      {
        audience: null,
        delivery: {
          at: '2027-03-01T09:00',
          zone: 'recipient',
          segments: [
            { zone: 'Asia/Seoul', audience: { type: 'CHANNEL', to: ['vip'], country: ['KR'] } },
            { zone: 'Asia/Tokyo', audience: { type: 'CHANNEL', to: ['other'] } },
          ],
        },
        policy: { split: ['country'] },
      },
      ['/data/delivery/segments/1/audience/country REQUIRED'],
    ],
    [
      'an approval, and users to test with, more than are taken',
      {
        policy: {
          approval: 'later',
          testTo: Array.from({ length: 21 }, (_, n) => `user-${n}`),
        },
      },
      ['/data/policy/approval WRONG_VALUE', '/data/policy/testTo TOO_LONG'],
    ],
    [
      'everything at once: every member has its reason, not only the first',
      {
        serviceId: 7,
        audience: { type: 'USER' },
        delivery: { at: '2027-03-01T09:00', zone: 'Nowhere/City' },
        policy: { night: 'maybe' },
        extra: 1,
      },
      [
        '/data/serviceId WRONG_TYPE',
        '/data/policy/night WRONG_VALUE',
        '/data/extra UNKNOWN_MEMBER',
        '/data/audience/to REQUIRED',
        '/data/delivery/zone ZONE_UNKNOWN',
      ],
    ],
  ];
  it.each(bad)('%s', (_, data, reasons) => {
    expect(verdictOf(raw(scheduled(data)))).toEqual(reasons);
  });

  it('a cancel with a member nobody knows, and one of an occurrence with too long a name', () => {
    expect(verdictOf(raw(canceled({ occurrence: '2027-03-01T09:00' })))).toEqual(['taken']);
    expect(verdictOf(raw(canceled({ occurrence: 'x'.repeat(65) })))).toEqual(['/data/occurrence TOO_LONG']);
    expect(verdictOf(raw(canceled({ why: 'x' })))).toEqual(['/data/why UNKNOWN_MEMBER']);
  });

  it('names the nearest known member, type and zone', () => {
    const parsed = parse(
      raw(scheduled({ mesage: {}, delivery: { at: '2027-03-01T09:00', zone: 'asia/soul' } })),
    );
    const texts = parsed.kind === 'rejection' ? parsed.reasons.map(({ text }) => text).join('\n') : '';
    expect(texts).toContain('did you mean "message"?');
    expect(texts).toContain('did you mean "Asia/Seoul"?');
  });

  it('thousands of faults are listed as fifty and a number, and never at the length of what was sent', () => {
    const parsed = parse(
      raw(scheduled({ audience: { type: 'USER', to: Array.from({ length: 40_000 }, () => 5) } })),
    );
    const reasons = parsed.kind === 'rejection' ? parsed.reasons : [];
    expect(reasons).toHaveLength(51);
    expect(reasons.at(-1)).toEqual({ pointer: '', code: 'MORE', text: 'and 39950 more' });
    const unknown = Object.fromEntries(Array.from({ length: 80_000 }, (_, index) => [`m${index}`, 1]));
    const odd = parse(raw(scheduled(unknown)));
    expect(odd.kind === 'rejection' && odd.reasons.at(-1)?.text).toBe('and 79950 more');
    expect(JSON.stringify(odd).length).toBeLessThan(20_000);
    const long = parse(raw(scheduled({ [`m${'x'.repeat(500_000)}`]: 1 })));
    expect(JSON.stringify(long).length).toBeLessThan(2_000);
  });

  it('keeps of a rejected event what could be read of its envelope', () => {
    expect(parse(raw(scheduled({ delivery: {} }))).seen).toEqual({
      source: '/shop/promotions',
      id: 'e-1',
      type: 'carillon.campaign.scheduled.v1',
      subject: 'spring-sale',
      serviceId: 'shop-app',
      time: NOW,
    });
  });
});
