// Lets every route that takes our id of a campaign take `serviceId/campaignId` too, percent-encoded in a path: the publisher's name is
// replaced by our id before the request is checked. A name that is unknown, or of a service that the token does not hold, becomes an
// id that no campaign has, so it is answered like any unknown one.
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { NIL } from 'uuid';
import type { Sql } from '../platform/database/database.js';
import type { CalledRequest } from './admin/auth/caller.js';
import { campaignIdOf } from './store/read/our-ids.js';

interface NamingRequest extends CalledRequest {
  readonly routeOptions: { readonly url?: string };
  readonly params: unknown;
  readonly query: unknown;
  readonly body?: unknown;
}

/** Routes whose `{id}` is a campaign's. Elsewhere only the member `campaign` of a query or body is one. */
const OF_CAMPAIGN = /^\/v1\/(?:reports\/)?campaigns\/:id(?:\/|$)/;

export class CampaignNamesInterceptor implements NestInterceptor {
  constructor(private readonly sql: Sql) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const { routeOptions, params, query, body, caller } = context.switchToHttp().getRequest<NamingRequest>();
    if (caller === undefined) return next.handle();
    const isOfCampaign = OF_CAMPAIGN.test(routeOptions.url ?? '');
    const places: (readonly [at: unknown, member: string])[] = [
      ...(isOfCampaign ? [[params, 'id'] as const] : []),
      [query, 'campaign'],
      [body, 'campaign'],
    ];
    for (const [at, member] of places) {
      const [serviceId, campaignId] = nameIn(at, member) ?? [];
      if (serviceId === undefined || campaignId === undefined) continue;
      const id = caller.holds(serviceId) ? await campaignIdOf(this.sql, serviceId, campaignId) : undefined;
      (at as Record<string, unknown>)[member] = id ?? NIL;
    }
    return next.handle();
  }
}

/** Neither has a slash in its id. */
function nameIn(at: unknown, member: string): readonly [serviceId: string, campaignId: string] | undefined {
  if (typeof at !== 'object' || at === null || at instanceof Uint8Array) return undefined;
  const value = (at as Readonly<Record<string, unknown>>)[member];
  if (typeof value !== 'string' || value.length > 300 || value.includes('\0')) return undefined;
  const slash = value.indexOf('/');
  return slash < 1 ? undefined : [value.slice(0, slash), value.slice(slash + 1)];
}
