// All words come by key from a file of a language. A key that no file has does not compile.
import type { ReactNode } from 'react';
import { useIntl } from 'react-intl';
import type en from './en.json';

export type TextKey = keyof typeof en;
type Values = Readonly<Record<string, string | number | boolean | Date | null | undefined>>;

export interface Texts {
  (key: TextKey, values?: Values): string;
  /** With parts that are no text, such as links. */
  rich(key: TextKey, values: Readonly<Record<string, ReactNode>>): ReactNode;
  /** For a word of the API under a key that is put together: a newer server may say one that this page does not know. */
  word(key: string, otherwise: string): string;
  /** Whether there is a text under a key that is put together, such as `code.${code}`. */
  has(key: string): key is TextKey;
  readonly locale: string;
}

export function useTexts(): Texts {
  const intl = useIntl();
  const text = (key: TextKey, values?: Values): string => intl.formatMessage({ id: key }, { ...values });
  return Object.assign(text, {
    rich: (key: TextKey, values: Readonly<Record<string, ReactNode>>): ReactNode =>
      intl.formatMessage({ id: key }, values),
    has: (key: string): key is TextKey => Object.hasOwn(intl.messages, key),
    word: (key: string, otherwise: string): string =>
      Object.hasOwn(intl.messages, key) ? intl.formatMessage({ id: key }) : otherwise,
    locale: intl.locale,
  });
}
