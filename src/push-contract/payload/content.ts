// push-interface.md §2.4 and §2.5: what a device of one push type and one language receives. Pure.
import type { CommonMessage, I18n } from '../messages.js';
import type { DeviceType } from '../statuses.js';

export interface DeviceContent {
  /** Empty when the message has no content. */
  readonly content: string;
  readonly custom: Readonly<Record<string, unknown>>;
  readonly option: Readonly<Record<string, unknown>>;
}

/**
 * gcm and apns win over default, member by member (not specified: a type that has only an option keeps the default content). The
 * text is the first that exists of: the type's own i18n, the common i18n, the content. Within an i18n the exact language wins,
 * then `default`.
 */
export function contentFor(message: CommonMessage, deviceType: DeviceType, language: string): DeviceContent {
  const ofType = deviceType === 'GCM' ? message.gcm : message.apns;
  const texts = [(ofType ?? message.default).i18n, message.i18n];
  const text = texts.map((i18n) => textIn(i18n, language)).find((found) => found !== undefined);
  return {
    content: text ?? ofType?.content ?? message.default.content ?? '',
    custom: ofType?.custom ?? message.default.custom ?? {},
    option: ofType?.option ?? message.default.option ?? {},
  };
}

function textIn(i18n: I18n | null | undefined, language: string): string | undefined {
  if (i18n === undefined || i18n === null) return undefined;
  const exact = Object.hasOwn(i18n, language) ? i18n[language] : undefined;
  return (exact ?? (Object.hasOwn(i18n, 'default') ? i18n['default'] : undefined))?.content;
}
