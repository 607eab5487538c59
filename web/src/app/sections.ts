// The pages that the side bar names, in its order, each with the key that goes to it and the route that one must be allowed to call.
import type { GuardedRoute } from '../api/may.ts';
import type { TextKey } from '../i18n/text.ts';

export interface Section {
  readonly to:
    | '/'
    | '/campaigns'
    | '/sends'
    | '/failures'
    | '/rejected'
    | '/alerts'
    | '/reports'
    | '/forecast'
    | '/audiences'
    | '/projects'
    | '/tokens'
    | '/webhooks'
    | '/audit';
  readonly word: TextKey;
  /** After `g`. */
  readonly key: string;
  readonly needs: GuardedRoute;
}

export const SECTIONS: readonly Section[] = [
  { to: '/', word: 'page.overview', key: 'o', needs: 'get /v1/campaigns' },
  { to: '/campaigns', word: 'page.campaigns', key: 'c', needs: 'get /v1/campaigns' },
  { to: '/sends', word: 'page.sends', key: 's', needs: 'get /v1/sends' },
  { to: '/failures', word: 'page.failures', key: 'f', needs: 'get /v1/failures' },
  { to: '/rejected', word: 'page.rejected', key: 'x', needs: 'get /v1/rejections' },
  { to: '/alerts', word: 'page.alerts', key: 'a', needs: 'get /v1/alerts' },
  { to: '/reports', word: 'page.reports', key: 'r', needs: 'get /v1/reports/summary' },
  { to: '/forecast', word: 'page.forecast', key: 't', needs: 'get /v1/forecast' },
  { to: '/audiences', word: 'page.audiences', key: 'l', needs: 'get /v1/audiences' },
  { to: '/projects', word: 'page.projects', key: 'p', needs: 'get /v1/projects' },
  { to: '/tokens', word: 'page.tokens', key: 'k', needs: 'get /v1/tokens' },
  { to: '/webhooks', word: 'page.webhooks', key: 'w', needs: 'get /v1/webhooks' },
  { to: '/audit', word: 'page.audit', key: 'd', needs: 'get /v1/audit' },
];
