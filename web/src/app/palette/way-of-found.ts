// Which page shows what the search found. What has no page is not offered. Pure.
import type { LinkProps } from '@tanstack/react-router';
import type { Found } from '../../api/search.ts';

export type Way = Pick<LinkProps, 'to' | 'params' | 'search'>;

export function wayOfFound({ kind, id }: Pick<Found, 'kind' | 'id'>): Way | undefined {
  switch (kind) {
    // Of an event the id is its campaign's.
    case 'campaign':
    case 'event':
      return { to: '/campaigns/$id', params: { id }, search: {} };
    case 'send':
      return { to: '/sends/$id', params: { id } };
    case 'rejection':
      return { to: '/rejected/$id', params: { id } };
    case 'retries':
      return { to: '/failures/retries/$token', params: { token: id } };
    case 'resolves':
      return { to: '/failures/resolves/$token', params: { token: id } };
    case 'service':
      return { to: '/campaigns', search: { service: id } };
    case 'list':
    default:
      return undefined;
  }
}
