// What differs from the golden files (test/golden/push-payloads): who wins where two say the same.
import { describe, expect, it } from 'vitest';
import type { DeviceContent } from './content.js';
import { fcmBody, fcmMessage, type FcmMessage } from './fcm-payload.js';

const message = (overrides: Partial<DeviceContent>): FcmMessage =>
  fcmMessage({ content: '', custom: {}, option: {}, ...overrides });

describe('the data of a message to FCM', () => {
  it('has texts as they are and the JSON of any other value: FCM takes texts alone', () => {
    const custom = { text: 'a', number: 7, flag: true, none: null, list: [1, 'b'], object: { a: 1 } };
    expect(message({ custom }).data).toEqual({
      text: 'a',
      number: '7',
      flag: 'true',
      none: 'null',
      list: '[1,"b"]',
      object: '{"a":1}',
    });
  });

  it('has the content over a custom key of that name, unless it is empty', () => {
    expect(message({ content: 'hello', custom: { content: 'own' } }).data).toEqual({ content: 'hello' });
    expect(message({ custom: { content: 'own' } }).data).toEqual({ content: 'own' });
    expect(message({}).data).toEqual({});
  });

  it("has custom keys over an option's", () => {
    const option = { data: { page: 'home', more: 'x' }, link: 'https://a' };
    expect(message({ custom: { page: 'sale', link: 'https://b' }, option }).data).toEqual({
      page: 'sale',
      more: 'x',
      link: 'https://b',
    });
  });
});

describe('what is shown', () => {
  it('is nothing without a title or an image: the app gets the data alone', () => {
    expect(message({ content: 'hello', option: { sound: 'x', badge: 1, category: 'C' } })).toEqual({
      data: { content: 'hello' },
    });
  });

  it('is the text beside a title or an image, with what Android adds', () => {
    expect(message({ content: 'hello', option: { title: 'Shop', sound: 'x' } })).toMatchObject({
      notification: { title: 'Shop', body: 'hello' },
      android: { notification: { sound: 'x' } },
    });
    expect(message({ option: { image: 'https://a' } })['notification']).toEqual({ image: 'https://a' });
  });

  it("by FCM's own names is exactly that", () => {
    const notification = { title: 'own' };
    expect(message({ content: 'hello', option: { notification } })).toEqual({
      data: { content: 'hello' },
      notification,
    });
  });

  it("by FCM's own names wins over an option's, member by member, one level deep", () => {
    const option = {
      title: 'Shop',
      sound: 'x',
      ttl: 60,
      notification: { body: 'own' },
      android: { ttl: '5s', notification: { color: '#fff' } },
      webpush: { headers: { Urgency: 'low' } },
    };
    expect(message({ content: 'hello', option })).toEqual({
      data: { content: 'hello' },
      notification: { title: 'Shop', body: 'own' },
      android: { ttl: '5s', notification: { sound: 'x', color: '#fff' } },
      webpush: { headers: { TTL: '60', Urgency: 'low' } },
    });
  });

  it.each(['android', 'notification', 'webpush', 'fcm_options'])(
    '%s that is no object is left out, for FCM would refuse it; null is as none, and an empty one stays',
    (name) => {
      expect(message({ option: { [name]: 'x' } })).toEqual({ data: {} });
      expect(message({ option: { [name]: null } })).toEqual({ data: {} });
      expect(message({ option: { [name]: {} } })[name]).toEqual({});
    },
  );
});

it('the body has the token of its device, whatever it is made of', () => {
  for (const token of ['abc:def', 'a"b\\c', '']) {
    expect(JSON.parse(fcmBody(JSON.stringify(message({ content: 'hello' })), token))).toEqual({
      message: { token, data: { content: 'hello' } },
    });
  }
});
