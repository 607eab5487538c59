// Every request passes here first: without a token there is no data. Checks the bearer token and its role; whether the token holds
// the serviceId of a row is checked by the controller (CallerIdentity.own), which knows the row.
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import { Problem } from '../../../platform/http/problem.js';
import type { TokenStore } from '../../store/token.store.js';
import { CallerIdentity, ROLES, type CalledRequest, type Role } from './caller.js';
import { OPEN_KEY, ROLES_KEY } from './roles.js';

interface GuardedRequest extends CalledRequest {
  headers: Record<string, string | string[] | undefined>;
}

const BEARER = /^Bearer ([A-Za-z0-9_-]{20,200})$/i;

export class AuthGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly tokens: TokenStore,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const marked = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride<boolean | undefined>(OPEN_KEY, marked) === true) return true;
    const request = context.switchToHttp().getRequest<GuardedRequest>();
    const caller = await this.authenticate(request.headers['authorization']);
    const roles = this.reflector.getAllAndOverride<Role[] | undefined>(ROLES_KEY, marked) ?? [];
    if (!caller.may(roles)) {
      throw new Problem(403, 'ROLE_MISSING', `this needs a token with the role ${roles.join(' or ')}`);
    }
    request.caller = caller;
    return true;
  }

  /** The holder of the token in an Authorization header; throws 401 if there is none. */
  async authenticate(header: string | string[] | undefined): Promise<CallerIdentity> {
    const caller = await this.identify(header);
    if (caller !== undefined) return caller;
    throw new Problem(401, 'UNAUTHENTICATED', 'send a valid token: Authorization: Bearer <token>');
  }

  /** The same; undefined if the token is missing, unknown, expired or revoked. */
  async identify(header: string | string[] | undefined): Promise<CallerIdentity | undefined> {
    const [, token] = typeof header === 'string' ? (BEARER.exec(header) ?? []) : [];
    const row = token === undefined ? undefined : await this.tokens.find(token);
    if (row === undefined) return undefined;
    const roles = ROLES.filter((role) => row.roles.includes(role));
    return new CallerIdentity(row, roles);
  }
}
