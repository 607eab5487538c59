// Which languages there are, and which of them a person gets: `?lang=` of the address, else what was chosen before, else the browser's.
import en from './en.json';

export type Messages = Readonly<Record<string, string>>;

export interface Language {
  /** BCP 47, for dates and for `lang`. */
  readonly locale: string;
  readonly load: () => Promise<Messages>;
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  en: { locale: 'en-GB', load: () => Promise.resolve(en) },
  ko: { locale: 'ko', load: async () => (await import('./ko.json')).default },
  /** For tests: what stands outside the brackets came by no key, and what breaks would break in a longer language. */
  qps: { locale: 'en-GB', load: () => Promise.resolve(lengthened(en)) },
};

const KEPT_AS = 'carillon.language';

export function chosenLanguage(search: string): Language {
  const asked = new URLSearchParams(search).get('lang');
  if (asked !== null && Object.hasOwn(LANGUAGES, asked)) window.localStorage.setItem(KEPT_AS, asked);
  const names = [asked, window.localStorage.getItem(KEPT_AS), window.navigator.language.slice(0, 2), 'en'];
  const name = names.find((one) => one !== null && Object.hasOwn(LANGUAGES, one)) ?? 'en';
  return LANGUAGES[name] ?? { locale: 'en-GB', load: () => Promise.resolve(en) };
}

function lengthened(messages: Messages): Messages {
  return Object.fromEntries(
    Object.entries(messages).map(([key, text]) => [
      key,
      `⟦${text}${'·'.repeat(Math.ceil(text.length * 0.4))}⟧`,
    ]),
  );
}
