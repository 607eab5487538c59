import { describe, expect, it } from 'vitest';
import type { CommonMessage } from '../messages.js';
import { isTooLarge, languagesOf, MOST_BYTES, renderPayload, renderVariant, type Variant } from './render.js';

const tooLarge = (deviceType: 'GCM' | 'APNS', body: unknown): boolean =>
  isTooLarge({ deviceType, body: JSON.stringify(body) });
const text = (bytes: number): string => 'x'.repeat(bytes);

describe('what a provider refuses for its size', () => {
  it('is for APNs a body of more than 4 096 bytes', () => {
    const around = Buffer.byteLength(JSON.stringify({ aps: { alert: '' } }));
    expect(MOST_BYTES).toBe(4_096);
    expect(tooLarge('APNS', { aps: { alert: text(4_096 - around) } })).toBe(false);
    expect(tooLarge('APNS', { aps: { alert: text(4_097 - around) } })).toBe(true);
  });

  it('is for FCM keys and values of data and notification of more than 4 096 bytes', () => {
    const around = 'content'.length + 'title'.length;
    const message = (bytes: number): unknown => ({
      data: { content: text(bytes - around) },
      notification: { title: '' },
    });
    expect(tooLarge('GCM', message(4_096))).toBe(false);
    expect(tooLarge('GCM', message(4_097))).toBe(true);
    expect(tooLarge('GCM', { data: { content: text(4_000) }, notification: { title: text(200) } })).toBe(
      true,
    );
  });

  it('is for FCM not what stands beside them, up to 8 192 bytes of the whole', () => {
    const beside = (bytes: number): unknown => ({ data: {}, android: { a: text(bytes) } });
    const around = Buffer.byteLength(JSON.stringify(beside(0)));
    expect(tooLarge('GCM', beside(8_192 - around))).toBe(false);
    expect(tooLarge('GCM', beside(8_193 - around))).toBe(true);
  });

  it('is counted in bytes, not in letters', () => {
    expect(tooLarge('APNS', { aps: { alert: '가'.repeat(1_300) } })).toBe(false);
    expect(tooLarge('APNS', { aps: { alert: '가'.repeat(1_400) } })).toBe(true);
    expect(tooLarge('GCM', { data: { content: '가'.repeat(1_400) } })).toBe(true);
  });

  it('is counted without what JSON adds to it', () => {
    // 4 000 line feeds, which JSON writes as two bytes each.
    expect(tooLarge('GCM', { data: { content: '\n'.repeat(4_000) } })).toBe(false);
    expect(tooLarge('APNS', { aps: { alert: '\n'.repeat(4_000) } })).toBe(true);
  });
});

describe('a message for one type and language', () => {
  const message: CommonMessage = {
    default: { content: 'd', i18n: { ko: { content: 'ko' } } },
    apns: { content: 'i', i18n: { ja: { content: 'ja' } } },
    i18n: { fr: { content: 'fr' } },
  };

  it('differs by the languages that a text is given for, and by none', () => {
    expect([...languagesOf(message, 'GCM')]).toEqual(['', 'ko', 'fr']);
    expect([...languagesOf(message, 'APNS')]).toEqual(['', 'ja', 'fr']);
    expect([...languagesOf({ default: {} }, 'GCM')]).toEqual(['']);
  });

  it('is rendered once, and for each device with its token where FCM wants it', () => {
    const gcm: Variant = renderVariant(message, 'GCM', 'ko');
    expect(gcm).toEqual({
      deviceType: 'GCM',
      language: 'ko',
      headers: {},
      body: '{"data":{"content":"ko"}}',
    });
    expect(JSON.parse(renderPayload(gcm, 't-1'))).toEqual({
      message: { token: 't-1', data: { content: 'ko' } },
    });
    const apns = renderVariant(message, 'APNS', 'ko');
    expect(apns).toMatchObject({ deviceType: 'APNS', headers: { 'apns-push-type': 'alert' } });
    expect(renderPayload(apns, 't-1')).toBe('{"aps":{"alert":"i"}}');
  });
});
