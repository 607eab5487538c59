// What the devices of one language get, side by side. A language that a device type has no text of falls back to the text for all others.
import type { ShownMessage } from '../../api/revisions.ts';
import { Phone } from './phone.tsx';
import styles from './phone.module.css';

export interface PhonesProps {
  readonly messages: readonly ShownMessage[];
  /** undefined: of every language without a text of its own. */
  readonly language: string | undefined;
  readonly app: string;
}

export function Phones({ messages, language, app }: PhonesProps) {
  const types = [...new Set(messages.map(({ deviceType }) => deviceType))];
  const shown = types.flatMap((type) => {
    const ofType = messages.filter(({ deviceType }) => deviceType === type);
    const found = ofType.find((one) => one.language === (language ?? null)) ?? ofType[0];
    return found === undefined ? [] : [found];
  });
  return (
    <div className={styles.phones}>
      {shown.map((message) => (
        <Phone key={message.deviceType} message={message} app={app} />
      ))}
    </div>
  );
}

/** The languages that have a text of their own. */
export const languagesOf = (messages: readonly ShownMessage[]): readonly string[] => [
  ...new Set(messages.flatMap(({ language }) => (language === null ? [] : [language]))),
];
