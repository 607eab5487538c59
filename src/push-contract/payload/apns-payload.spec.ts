// What differs from the golden files (test/golden/push-payloads): when a push is one in the background, and who wins.
import { describe, expect, it } from 'vitest';
import { apnsRequest, type ApnsRequest } from './apns-payload.js';
import type { DeviceContent } from './content.js';

const request = (overrides: Partial<DeviceContent>): ApnsRequest =>
  apnsRequest({ content: '', custom: {}, option: {}, ...overrides });

describe('a push to APNs is seen or in the background', () => {
  it.each<[string, Partial<DeviceContent>, Readonly<Record<string, string>>]>([
    ['with a text', { content: 'hello' }, { 'apns-push-type': 'alert' }],
    ['with a title alone', { option: { title: 'Shop' } }, { 'apns-push-type': 'alert' }],
    ['with a sound alone', { option: { sound: 'default' } }, { 'apns-push-type': 'alert' }],
    ['with a badge of 0 alone', { option: { badge: 0 } }, { 'apns-push-type': 'alert' }],
    ['with nothing', {}, { 'apns-push-type': 'background', 'apns-priority': '5' }],
    [
      'with a sound that is null',
      { option: { sound: null } },
      { 'apns-push-type': 'background', 'apns-priority': '5' },
    ],
    [
      'with content-available alone',
      { option: { 'content-available': 1 } },
      { 'apns-push-type': 'background', 'apns-priority': '5' },
    ],
    // APNs refuses a background push of priority 10.
    [
      'with nothing, at priority 10',
      { option: { 'apns-priority': 10 } },
      { 'apns-push-type': 'background', 'apns-priority': '5' },
    ],
    [
      'with nothing, at priority high',
      { option: { priority: 'high' } },
      { 'apns-push-type': 'background', 'apns-priority': '5' },
    ],
    [
      'with nothing, at priority 1',
      { option: { 'apns-priority': '1' } },
      { 'apns-push-type': 'background', 'apns-priority': '1' },
    ],
    [
      'with a text, at priority 10',
      { content: 'hello', option: { priority: 'high' } },
      { 'apns-push-type': 'alert', 'apns-priority': '10' },
    ],
  ])('%s', (_what, content, headers) => {
    expect(request(content).headers).toEqual(headers);
  });
});

describe('the headers of a push', () => {
  const headers = (option: DeviceContent['option']) => request({ content: 'hello', option }).headers;

  it("by APNs' own name win over an option's", () => {
    expect(
      headers({ priority: 'high', 'apns-priority': 5, collapse: 'a', 'apns-collapse-id': 'b' }),
    ).toMatchObject({
      'apns-priority': '5',
      'apns-collapse-id': 'b',
    });
    expect(headers({ collapse: 'a', 'apns-collapse-id': null })['apns-collapse-id']).toBe('a');
  });

  it('are left out where no header can hold them', () => {
    for (const value of ['a\nb', '가', {}, true])
      expect(headers({ 'apns-collapse-id': value }), JSON.stringify(value)).toEqual({
        'apns-push-type': 'alert',
      });
  });
});

describe('the body of a push', () => {
  it('has the text as it is, and beside a title as the body of its alert', () => {
    expect(request({ content: 'hello' }).body).toEqual({ aps: { alert: 'hello' } });
    expect(request({ content: 'hello', option: { title: 'Shop' } }).body).toEqual({
      aps: { alert: { title: 'Shop', body: 'hello' } },
    });
    expect(request({ option: { title: 'Shop' } }).body).toEqual({ aps: { alert: { title: 'Shop' } } });
    expect(request({}).body).toEqual({ aps: {} });
  });

  it("has custom keys over an option's, and never for aps", () => {
    const custom = { page: 'sale', aps: { alert: 'not ours' } };
    expect(request({ content: 'hello', custom, option: { data: { page: 'home', more: 'x' } } }).body).toEqual(
      {
        page: 'sale',
        more: 'x',
        aps: { alert: 'hello' },
      },
    );
  });

  it("has members of aps by APNs' own name over an option's", () => {
    expect(
      request({ option: { thread: 'a', 'thread-id': 'b', image: 'i', 'mutable-content': 0 } }).body,
    ).toMatchObject({
      aps: { 'thread-id': 'b', 'mutable-content': 0 },
      image: 'i',
    });
  });
});
