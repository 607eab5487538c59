// Above every page: whose clock, how fresh, light or dark, and who is signed in. On a narrow screen these stand with the pages in a sheet.
import { ActionIcon, Drawer, Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { sessionQuery, signOut } from '../api/session.ts';
import { useTexts } from '../i18n/text.ts';
import { Time } from '../parts/time/time.tsx';
import { ClockChoice } from './clock-choice.tsx';
import { LiveState } from './live-state.tsx';
import { PaletteButton } from './palette/palette-button.tsx';
import { useSession } from './session-context.ts';
import { Sections } from './side-bar.tsx';
import styles from './top-bar.module.css';

export function TopBar() {
  const text = useTexts();
  const [isOpen, setOpen] = useState(false);
  return (
    <header className={styles.top}>
      <ActionIcon
        className={styles.menu}
        size={44}
        aria-label={text('shell.menu')}
        onClick={() => setOpen(true)}
      >
        <span aria-hidden="true">☰</span>
      </ActionIcon>
      <Link to="/" className={styles.brand}>
        Carillon
      </Link>
      <PaletteButton />
      <span className={styles.rest} />
      <LiveState />
      <span className={styles.wideOnly}>
        <ClockChoice />
      </span>
      <SchemeButton />
      <Account />
      <Drawer
        opened={isOpen}
        onClose={() => setOpen(false)}
        size={280}
        title="Carillon"
        closeButtonProps={{ 'aria-label': text('sheet.close') }}
      >
        <div className={styles.drawer}>
          <Sections onGo={() => setOpen(false)} />
          <ClockChoice />
        </div>
      </Drawer>
    </header>
  );
}

function SchemeButton() {
  const text = useTexts();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const next = ({ auto: 'light', light: 'dark', dark: 'auto' } as const)[colorScheme];
  const label = text('shell.scheme', { scheme: text(`scheme.${colorScheme}`) });
  return (
    <ActionIcon size={36} aria-label={label} title={label} onClick={() => setColorScheme(next)}>
      <span aria-hidden="true">◐</span>
    </ActionIcon>
  );
}

function Account() {
  const text = useTexts();
  const session = useSession();
  const client = useQueryClient();
  const leaving = useMutation({
    mutationFn: signOut,
    onSuccess: () => {
      client.clear();
      // Drafts.
      window.sessionStorage.clear();
      client.setQueryData(sessionQuery.queryKey, null);
      window.location.assign('/');
    },
  });
  return (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        <UnstyledButton className={styles.account}>
          {session.token} <span aria-hidden="true">▾</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <div className={styles.facts}>
          <div>{text('account.roles', { roles: session.roles.join(', ') })}</div>
          <div>
            {text('account.services', {
              services: session.serviceIds.includes('*')
                ? text('account.all')
                : session.serviceIds.join(', '),
            })}
          </div>
          <div>
            {text('account.expires')} <Time at={session.expiresAt} relative still short />
          </div>
          <div>{text('account.version', { version: session.version, tzdata: session.tzdata })}</div>
        </div>
        <Menu.Divider />
        <Menu.Item onClick={() => leaving.mutate()}>{text('account.signOut')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
