// Who calls: what the guard has found out about the token of a request.
import type { Owner } from '../../../platform/fair-order.js';
import { notFound } from '../../../platform/http/problem.js';
import { isNamed } from '../../decide/source-patterns.js';
import type { TokenRow } from '../../store/token.store.js';

export const ROLES = ['publisher', 'analyst', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** The roles that each role includes (http-api.md, "Roles"). */
const INCLUDED: Readonly<Record<Role, readonly Role[]>> = {
  publisher: ['publisher'],
  analyst: ['analyst'],
  operator: ['operator', 'analyst'],
  admin: ['admin', 'operator', 'analyst', 'publisher'],
};

/** The holder of a valid token. */
export class CallerIdentity {
  constructor(
    private readonly token: Pick<TokenRow, 'id' | 'name' | 'serviceIds' | 'sources'>,
    readonly roles: readonly Role[],
  ) {}

  get tokenId(): string {
    return this.token.id;
  }

  get serviceIds(): readonly string[] {
    return this.token.serviceIds;
  }

  /** For what is shared fairly: its services, and of these the token. A token for all services is a service of its own. */
  get owner(): Owner {
    const services = this.holdsEverything ? `* ${this.tokenId}` : this.serviceIds.toSorted().join(' ');
    return [services, this.tokenId];
  }

  /** As it stands in audit and history rows: names may be given again once a token has ended, ids may not. */
  get who(): string {
    return `token:${this.token.name} (${this.token.id})`;
  }

  /** The same for a log line. */
  get logFields(): Readonly<Record<'token' | 'tokenId', string>> {
    return { token: this.token.name, tokenId: this.token.id };
  }

  may(roles: readonly Role[]): boolean {
    return this.roles.some((own) => INCLUDED[own].some((role) => roles.includes(role)));
  }

  /** Its serviceIds have '*'. */
  get holdsEverything(): boolean {
    return this.serviceIds.includes('*');
  }

  readonly holds = (serviceId: string): boolean =>
    this.holdsEverything || this.serviceIds.includes(serviceId);

  /** Whether it may bring events of that source. */
  readonly takes = (source: string): boolean =>
    this.token.sources.length === 0 || isNamed(source, this.token.sources);

  /** For SQL: `($n::text[] is null or service_id = any($n))`; null where everything is held. */
  get serviceFilter(): readonly string[] | null {
    return this.holdsEverything ? null : this.serviceIds;
  }

  /** The same, of one service where it is named: a foreign one is treated as an unknown one, of which there is nothing. */
  heldOf(serviceId: string | undefined): readonly string[] | null {
    if (serviceId === undefined) return this.serviceFilter;
    return this.holds(serviceId) ? [serviceId] : [];
  }

  /** The row, if there is one and the token holds its service; else throws the same 404 for both. */
  own<Row extends { readonly serviceId: string }>(row: Row | undefined, what: string): Row {
    if (row === undefined || !this.holds(row.serviceId)) throw notFound(what);
    return row;
  }
}

/** Where the guard leaves the caller on Fastify's request. */
export interface CalledRequest {
  caller?: CallerIdentity;
}
