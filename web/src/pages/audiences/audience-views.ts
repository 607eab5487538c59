// The parts of the page, each with the route that one must be allowed to call.
import type { GuardedRoute } from '../../api/may.ts';
import type { TextKey } from '../../i18n/text.ts';

interface View {
  readonly to: `/audiences${string}`;
  readonly word: TextKey;
  readonly needs: GuardedRoute;
}

export const AUDIENCE_VIEWS = [
  { to: '/audiences', word: 'audiences.tab.lists', needs: 'get /v1/audiences' },
  { to: '/audiences/zones', word: 'audiences.tab.zones', needs: 'put /v1/recipients/zones' },
  { to: '/audiences/drift', word: 'audiences.tab.drift', needs: 'get /v1/recipients/drift' },
  { to: '/audiences/erasures', word: 'audiences.tab.erase', needs: 'delete /v1/recipients/{userId}' },
] as const satisfies readonly View[];
export type AudienceView = (typeof AUDIENCE_VIEWS)[number]['to'];
