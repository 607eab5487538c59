// What the devices of each type and language get of a message, for people who look at it before or after it leaves. Pure.
import type { CommonMessage, I18n } from '../messages.js';
import type { DeviceType } from '../statuses.js';
import { contentFor } from './content.js';
import { isTooLarge, languagesOf, renderVariant } from './render.js';

export interface ShownVariant {
  readonly deviceType: DeviceType;
  /** null: every language for which the message has no text. */
  readonly language: string | null;
  readonly title: string | null;
  readonly text: string;
  /** Where the text stands in the message; null: there is none. */
  readonly from: string | null;
  readonly option: Readonly<Record<string, unknown>>;
  /** Of the whole request to the provider, without the device's token. */
  readonly bytes: number;
  readonly isTooLarge: boolean;
}

/** The first `most`, the default language first; `more`: there are others. */
export function shownVariants(
  message: CommonMessage,
  types: readonly DeviceType[],
  most: number,
): { readonly variants: readonly ShownVariant[]; readonly more: boolean } {
  const variants: ShownVariant[] = [];
  for (const deviceType of types) {
    for (const language of languagesOf(message, deviceType)) {
      // '' already stands for a device whose language has no text in the message.
      if (language === 'default') continue;
      if (variants.length === most) return { variants, more: true };
      variants.push(shownVariant(message, deviceType, language));
    }
  }
  return { variants, more: false };
}

function shownVariant(message: CommonMessage, deviceType: DeviceType, language: string): ShownVariant {
  const { content: text, option } = contentFor(message, deviceType, language);
  const variant = renderVariant(message, deviceType, language);
  const { title } = option;
  return {
    deviceType,
    language: language === '' ? null : language,
    title: typeof title === 'string' ? title : null,
    text,
    from: text === '' ? null : placeOf(message, deviceType, language),
    option,
    bytes: Buffer.byteLength(variant.body),
    isTooLarge: isTooLarge(variant),
  };
}

/** The place of the text that contentFor() takes, in its order. */
function placeOf(message: CommonMessage, deviceType: DeviceType, language: string): string {
  const name = deviceType === 'GCM' ? 'gcm' : 'apns';
  const ofType = message[name] ?? undefined;
  const own = ofType === undefined ? 'default' : name;
  const places: readonly (readonly [place: string, i18n: I18n | null | undefined])[] = [
    [`message.${own}.i18n`, (ofType ?? message.default).i18n],
    ['message.i18n', message.i18n],
  ];
  for (const [place, i18n] of places) {
    const found = [language, 'default'].find((one) => i18n && Object.hasOwn(i18n, one));
    if (found !== undefined) return `${place}.${found}`;
  }
  const holder = ofType?.content === undefined || ofType.content === null ? 'default' : own;
  return `message.${holder}.content`;
}
