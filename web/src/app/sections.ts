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
  /** The part of it for those who may not open the page itself. */
  readonly otherwise?: { readonly to: '/audiences/drift'; readonly needs: GuardedRoute };
}

export type Way = Section['to'] | NonNullable<Section['otherwise']>['to'];

/** Where a section leads somebody; undefined: they may open nothing of it. */
export function wayTo(
  { to, needs, otherwise }: Section,
  may: (route: GuardedRoute) => boolean,
): Way | undefined {
  if (may(needs)) return to;
  return otherwise !== undefined && may(otherwise.needs) ? otherwise.to : undefined;
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
  {
    to: '/audiences',
    word: 'page.audiences',
    key: 'l',
    needs: 'get /v1/audiences',
    otherwise: { to: '/audiences/drift', needs: 'get /v1/recipients/drift' },
  },
  { to: '/projects', word: 'page.projects', key: 'p', needs: 'get /v1/projects' },
  { to: '/tokens', word: 'page.tokens', key: 'k', needs: 'get /v1/tokens' },
  { to: '/webhooks', word: 'page.webhooks', key: 'w', needs: 'get /v1/webhooks' },
  { to: '/audit', word: 'page.audit', key: 'd', needs: 'get /v1/audit' },
];
