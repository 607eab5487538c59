// A notification about as a phone shows it. Links and images are named, and never loaded: the page asks nobody but its own server.
import type { ShownMessage } from '../../api/revisions.ts';
import { useTexts } from '../../i18n/text.ts';
import styles from './phone.module.css';

export interface PhoneProps {
  readonly message: ShownMessage;
  /** Stands where the name of the app would. */
  readonly app: string;
}

export function Phone({ message, app }: PhoneProps) {
  const text = useTexts();
  const { deviceType, language, title, text: body, from, bytes, isTooLarge, option } = message;
  const extras = Object.entries(option).filter(([name, value]) => name !== 'title' && isPlain(value));
  return (
    <figure className={styles.phone}>
      <div className={styles.screen} lang={language ?? undefined}>
        <div className={styles.app} lang="en">
          <span className={styles.icon} aria-hidden="true" />
          <span>{app}</span>
          <span className={styles.now}>{text('time.now')}</span>
        </div>
        {title !== null && <div className={styles.title}>{title}</div>}
        <div className={styles.body}>
          {body === '' ? <em lang={text.locale}>{text('message.silent')}</em> : body}
        </div>
      </div>
      <figcaption className={styles.facts}>
        <strong>{text.word(`device.${deviceType}`, deviceType)}</strong>
        <span className={isTooLarge ? styles.tooLarge : undefined}>
          {isTooLarge && '✕ '}
          {text('message.bytes', { bytes })}
        </span>
        {from !== null && <code className={styles.from}>{from}</code>}
        {extras.map(([name, value]) => (
          <span key={name} className={styles.extra}>
            {name}: {String(value)}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);
