// How fresh the page is: live by the stream, asked every 15 s without it, or offline with what was known last, and a sandbox clock by its rate.
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { asProblem } from '../api/api-error.ts';
import { useTexts } from '../i18n/text.ts';
import { Time } from '../parts/time/time.tsx';
import { live, POLL_MS } from './answers.ts';
import { useSession } from './session-context.ts';
import styles from './live-state.module.css';

export function LiveState() {
  const text = useTexts();
  const { clockRate } = useSession();
  const lastKnown = useLastKnown();
  const isLive = useSyncExternalStore(live.watch, live.isLive);
  return (
    <span className={styles.live} role="status">
      {clockRate !== 1 && <span className={styles.sandbox}>{text('live.sandbox', { rate: clockRate })}</span>}
      {lastKnown === null ? (
        <span className={styles.well}>
          <span aria-hidden="true">●</span>{' '}
          {isLive ? text('live.live') : text('live.polling', { seconds: POLL_MS / 1_000 })}
        </span>
      ) : (
        <span className={styles.offline}>
          <span aria-hidden="true">○</span> {text('live.offline')} <Time at={lastKnown} seconds short />
        </span>
      )}
    </span>
  );
}

/** null while answers come; else the instant of the last one. */
function useLastKnown(): string | null {
  const cache = useQueryClient().getQueryCache();
  const subscribe = useCallback((changed: () => void) => cache.subscribe(changed), [cache]);
  return useSyncExternalStore(subscribe, () => {
    const shown = cache.getAll().filter((query) => query.isActive());
    const isOffline = shown.some(({ state }) => state.error !== null && asProblem(state.error).status === 0);
    if (!isOffline) return null;
    const last = Math.max(0, ...cache.getAll().map(({ state }) => state.dataUpdatedAt));
    return last === 0 ? null : new Date(last).toISOString();
  });
}
