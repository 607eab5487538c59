// The caller of a request, as the guard knows it by the token.
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

/** Every role whose holder may call what is for `roles`. */
export const rolesThatMay = (roles: readonly Role[]): Role[] =>
  ROLES.filter((role) => INCLUDED[role].some((included) => roles.includes(included)));

/** The holder of a valid token. */
export class CallerIdentity {
  constructor(
    private readonly token: Pick<TokenRow, 'id' | 'name' | 'serviceIds' | 'sources' | 'expiresAt'>,
    readonly roles: readonly Role[],
  ) {}

  get tokenId(): string {
    return this.token.id;
  }

  get tokenName(): string {
    return this.token.name;
  }

  get expiresAt(): Date {
    return this.token.expiresAt;
  }

  get serviceIds(): readonly string[] {
    return this.token.serviceIds;
  }

  /**
   * The owner in fair queues, which give turns by services, and within these by token. A token for all services counts as a service of
   * its own.
   */
  get owner(): Owner {
    const services = this.holdsEverything ? `* ${this.tokenId}` : this.serviceIds.toSorted().join(' ');
    return [services, this.tokenId];
  }

  /** The name in audit and history rows. It has the id, because a name may be used again once its token has ended. */
  get who(): string {
    return `token:${this.token.name} (${this.token.id})`;
  }

  /** The same as fields of a log line. */
  get logFields(): Readonly<Record<'token' | 'tokenId', string>> {
    return { token: this.token.name, tokenId: this.token.id };
  }

  may(roles: readonly Role[]): boolean {
    return rolesThatMay(roles).some((role) => this.roles.includes(role));
  }

  /** Whether its serviceIds have '*'. */
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

  /** The same, restricted to one service where it is named. A foreign service is treated like an unknown one: no row is found. */
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

/** What a caller may still ask for: the headers RateLimit-*. */
export interface RequestsLeft {
  /** Requests of a minute. */
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until all of them are there again. */
  readonly resetSeconds: number;
}

/** Where the guard leaves the caller on Fastify's request. */
export interface CalledRequest {
  caller?: CallerIdentity;
  /** What is left of its budget of requests, also where this request was refused for it. */
  requestsLeft?: () => RequestsLeft;
}
