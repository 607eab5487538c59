import { describe, expect, it } from 'vitest';
import type { CommonMessage } from '../messages.js';
import { contentFor } from './content.js';

const textFor = (message: CommonMessage, type: 'GCM' | 'APNS', language: string): string =>
  contentFor(message, type, language).content;

describe('the text of a device (push-interface.md §2.5)', () => {
  const of = (text: string) => ({ content: text });
  const all: CommonMessage = {
    default: { content: 'default', i18n: { ko: of('default ko'), default: of('default else') } },
    apns: { content: 'apns', i18n: { ko: of('apns ko') } },
    i18n: { ko: of('common ko'), ja: of('common ja'), default: of('common else') },
  };
  const cases: [what: string, CommonMessage, 'GCM' | 'APNS', language: string, text: string][] = [
    ["is its type's in its language", all, 'APNS', 'ko', 'apns ko'],
    ['is the common one in its language, where its type has none for it', all, 'APNS', 'ja', 'common ja'],
    ['is the common one for any other', all, 'APNS', 'fr', 'common else'],
    ["is the default's, of a type without a member", all, 'GCM', 'ko', 'default ko'],
    [
      "is the default's for any other before the common one in its language",
      all,
      'GCM',
      'ja',
      'default else',
    ],
    ["is its type's content without any", { ...all, i18n: null }, 'APNS', 'fr', 'apns'],
    [
      'is the content of the default where its type has no text',
      { default: of('d'), gcm: {} },
      'GCM',
      'ko',
      'd',
    ],
    ['is empty where there is none', { default: {} }, 'GCM', 'ko', ''],
    ['is that of no language that every object has', all, 'APNS', 'constructor', 'common else'],
    [
      'is that of the exact language',
      { default: { content: 'd', i18n: { ko: of('ko') } } },
      'GCM',
      'KO',
      'd',
    ],
    [
      'is empty where the language has an empty one',
      { default: { content: 'd', i18n: { ko: of('') } } },
      'GCM',
      'ko',
      '',
    ],
    [
      'is not the i18n of the default, where its type has a member',
      { default: { i18n: { ko: of('default ko') } }, gcm: { content: 'gcm' } },
      'GCM',
      'ko',
      'gcm',
    ],
  ];
  it.each(cases)('%s', (_what, message, type, language, text) => {
    expect(textFor(message, type, language)).toBe(text);
  });
});

describe('what else a device gets (push-interface.md §2.4)', () => {
  it('is that of its type, member by member, else of the default', () => {
    const message: CommonMessage = {
      default: { content: 'd', custom: { a: 1 }, option: { title: 'D' } },
      gcm: { option: { title: 'G' } },
      apns: { content: 'i', custom: {}, option: null },
    };
    expect(contentFor(message, 'GCM', '')).toEqual({
      content: 'd',
      custom: { a: 1 },
      option: { title: 'G' },
    });
    expect(contentFor(message, 'APNS', '')).toEqual({ content: 'i', custom: {}, option: { title: 'D' } });
  });

  it('is nothing where there is none', () => {
    expect(contentFor({ default: {} }, 'APNS', '')).toEqual({ content: '', custom: {}, option: {} });
  });
});
