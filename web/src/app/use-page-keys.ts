// `g` and a letter goes to a page, `c` to a new campaign, `/` to the filter of this one. Not inside fields, and not while a sheet is open.
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { mayCall } from '../api/may.ts';
import type { Session } from '../api/session.ts';
import { isTyping } from '../parts/keys.ts';
import { SECTIONS, wayTo } from './sections.ts';

/** How long the letter may come after `g`. */
const PATIENCE_MS = 1_500;

export function usePageKeys(session: Session | null): void {
  const navigate = useNavigate();
  const begunAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    if (session === null) return undefined;
    const onKey = (event: KeyboardEvent): void => {
      if (isTyping(event)) return;
      const isSecond = event.timeStamp - begunAt.current < PATIENCE_MS;
      begunAt.current = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
      if (isSecond) {
        const section = SECTIONS.find(({ key }) => key === event.key);
        const to = section && wayTo(section, (route) => mayCall(session.roles, route));
        if (to !== undefined) void navigate({ to, search: {} });
        return;
      }
      if (event.key === 'c' && mayCall(session.roles, 'post /v1/events')) {
        event.preventDefault();
        void navigate({ to: '/compose' });
        return;
      }
      const filter = document.querySelector<HTMLElement>('[data-filter]');
      if (event.key === '/' && filter !== null) {
        filter.focus();
        event.preventDefault();
      }
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [navigate, session]);
}
