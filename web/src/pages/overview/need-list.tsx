// What needs a person, a line each: what it means, what was found, since when, and where to go.
import { Link } from '@tanstack/react-router';
import type { Need } from '../../api/status.ts';
import { useMay } from '../../app/session-context.ts';
import { useTexts } from '../../i18n/text.ts';
import { Time } from '../../parts/time/time.tsx';
import { wayOf } from './way-of-cause.ts';
import styles from './overview.module.css';

export function NeedList({ needs }: { readonly needs: readonly Need[] }) {
  if (needs.length === 0) return null;
  return (
    <ul className={styles.needs}>
      {needs.map((need) => (
        <NeedLine key={`${need.cause} ${need.serviceId ?? ''}`} need={need} />
      ))}
    </ul>
  );
}

const GLYPHS = { critical: '✕', warning: '⚠', note: '·' } as const;

function NeedLine({ need }: { readonly need: Need }) {
  const text = useTexts();
  const may = useMay();
  const { severity, serviceId, text: meaning, detail, nextStep, since, cause, acknowledged } = need;
  const way = wayOf(cause, serviceId);
  return (
    <li className={styles.need}>
      <span className={styles[severity]} aria-hidden="true">
        {GLYPHS[severity]}
      </span>
      <div>
        <p>
          <strong>{serviceId ?? text('overview.installation')}</strong> {meaning}{' '}
          <code className={styles.code}>{cause}</code>
        </p>
        <p className={styles.quiet}>{detail}</p>
        <p className={styles.quiet}>
          {nextStep}{' '}
          {way !== undefined && may(way.needs) && (
            <Link to={way.to} search={way.search}>
              {text(way.word)} ›
            </Link>
          )}
        </p>
      </div>
      <span className={styles.since}>
        {text('overview.since')} <Time at={since} relative />
        {acknowledged !== null && <div>{text('overview.takenUp', { who: acknowledged.by })}</div>}
      </span>
    </li>
  );
}
