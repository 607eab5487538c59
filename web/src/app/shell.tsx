// What stands around a page. Without a session the page's place is taken by the sign-in; the address stays, so that a link leads where it points.
import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { sessionQuery } from '../api/session.ts';
import { useTexts } from '../i18n/text.ts';
import { Failed } from '../parts/panel/failed.tsx';
import { live } from './answers.ts';
import { SessionContext } from './session-context.ts';
import { SideBar } from './side-bar.tsx';
import { SignInPage } from './sign-in/sign-in-page.tsx';
import { SignInSheet } from './sign-in/sign-in-sheet.tsx';
import { TopBar } from './top-bar.tsx';
import { usePageKeys } from './use-page-keys.ts';
import styles from './shell.module.css';

export function Shell() {
  const text = useTexts();
  const { data: session, error, refetch } = useQuery(sessionQuery);
  // Who was signed in when the session ended keeps the page: a sheet over it asks for a token.
  const last = useRef(session ?? null);
  if (session) last.current = session;
  usePageKeys(session ?? null);
  const isSignedIn = session !== undefined && session !== null;
  useEffect(() => (isSignedIn ? live.start() : undefined), [isSignedIn]);
  if (session === undefined) {
    return error === null ? null : (
      <main className={styles.alone}>
        <Failed error={error} again={() => void refetch()} />
      </main>
    );
  }
  const shown = session ?? last.current;
  if (shown === null) return <SignInPage />;
  return (
    <SessionContext value={shown}>
      <a className={styles.skip} href="#page">
        {text('shell.skip')}
      </a>
      <div className={styles.shell}>
        <TopBar />
        <SideBar />
        <main id="page" tabIndex={-1} className={styles.page}>
          <Outlet />
        </main>
      </div>
      {session === null && <SignInSheet />}
    </SessionContext>
  );
}
