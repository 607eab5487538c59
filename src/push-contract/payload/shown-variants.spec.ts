import { expect, it } from 'vitest';
import { contentFor } from './content.js';
import { shownVariants } from './shown-variants.js';

const message = {
  default: {
    content: 'Sale',
    option: { title: 'Shop' },
    i18n: { ko: { content: '세일' } },
  },
  apns: { content: 'Sale on iOS', option: { badge: 1 } },
  i18n: { default: { content: 'Everybody' }, ja: { content: 'セール' } },
};

it('shows what each type and language gets, and where it stands', () => {
  const { variants, more } = shownVariants(message, ['GCM', 'APNS'], 20);
  expect(more).toBe(false);
  expect(variants.map(({ deviceType, language, text, from }) => [deviceType, language, text, from])).toEqual([
    ['GCM', null, 'Everybody', 'message.i18n.default'],
    ['GCM', 'ko', '세일', 'message.default.i18n.ko'],
    ['GCM', 'ja', 'セール', 'message.i18n.ja'],
    ['APNS', null, 'Everybody', 'message.i18n.default'],
    ['APNS', 'ja', 'セール', 'message.i18n.ja'],
  ]);
  expect(variants[0]).toMatchObject({ title: 'Shop', isTooLarge: false });
  expect(variants[3]).toMatchObject({ title: null, option: { badge: 1 } });
  for (const { deviceType, language, text } of variants)
    expect(text).toBe(contentFor(message, deviceType, language ?? '').content);
});

it('takes the content where no language has a text, of the type before the default', () => {
  const plain = { default: { content: 'Sale' }, gcm: { option: {} }, apns: { content: 'iOS' } };
  const { variants } = shownVariants(plain, ['GCM', 'APNS'], 20);
  expect(variants.map(({ from }) => from)).toEqual(['message.default.content', 'message.apns.content']);
});

it('shows as many as are wanted, says what is too large, and that there are more', () => {
  const large = { default: { content: 'x'.repeat(5_000) }, i18n: { ko: { content: '짧은' } } };
  expect(shownVariants(large, ['GCM'], 1)).toMatchObject({ variants: [{ isTooLarge: true }], more: true });
});
