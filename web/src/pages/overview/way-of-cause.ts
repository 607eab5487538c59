// Which page shows the rows behind a cause. A cause without a page has its next step in words alone.
import type { GuardedRoute } from '../../api/may.ts';
import type { Need } from '../../api/status.ts';
import type { TextKey } from '../../i18n/text.ts';

export interface WayOfCause {
  readonly to: '/failures' | '/projects' | '/sends';
  readonly search: Readonly<Record<string, string>>;
  readonly word: TextKey;
  readonly needs: GuardedRoute;
}

const PROJECT_CAUSES: readonly Need['cause'][] = [
  'QUOTA',
  'BLOCKED',
  'KEY_REFUSED',
  'CIRCUIT',
  'GATEWAY_UNREACHABLE',
  'STOPPED',
];

export function wayOf(cause: Need['cause'], serviceId: string | null): WayOfCause | undefined {
  const service: Readonly<Record<string, string>> = serviceId === null ? {} : { service: serviceId };
  if (PROJECT_CAUSES.includes(cause)) {
    return { to: '/projects', search: {}, word: 'page.projects', needs: 'get /v1/projects' };
  }
  if (cause === 'FAILURES' || cause === 'UNCERTAIN') {
    const search = cause === 'UNCERTAIN' ? { ...service, state: 'uncertain' } : service;
    return { to: '/failures', search, word: 'page.failures', needs: 'get /v1/failures' };
  }
  if (cause === 'LATE') {
    return {
      to: '/sends',
      search: { ...service, state: 'open' },
      word: 'page.sends',
      needs: 'get /v1/sends',
    };
  }
  return undefined;
}
