// Every request passes here first: without a token there is no data. Checks the bearer token and its role. The controller, which
// knows the row, checks whether the token holds the row's serviceId (CallerIdentity.own).
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import { Problem } from '../../../platform/http/problem.js';
import type { RefusedAuthentication, RefusedRequest } from '../../../platform/http/refused-authentication.js';
import type { TokenStore } from '../../store/token.store.js';
import type { Budgets } from './budgets.js';
import { CallerIdentity, ROLES, type CalledRequest, type Role } from './caller.js';
import { OPEN_KEY, ROLES_KEY } from './roles.js';

export type GuardedRequest = CalledRequest & RefusedRequest;

/** Why a caller was refused, as the metric and the log say it. */
export type RefusedBecause = 'missing' | 'malformed' | 'unknown' | 'expired' | 'revoked' | 'role';

const BEARER = /^Bearer ([A-Za-z0-9_-]{20,200})$/i;

export class AuthGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly tokens: TokenStore,
    private readonly trace: Pick<RefusedAuthentication<RefusedBecause>, 'refused'>,
    private readonly budgets: Pick<Budgets, 'takeRequest'>,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const marked = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride<boolean | undefined>(OPEN_KEY, marked) === true) return true;
    const request = context.switchToHttp().getRequest<GuardedRequest>();
    // A request with a body was authenticated before its body was read.
    const caller = request.caller ?? (await this.letIn(request));
    const roles = this.reflector.getAllAndOverride<Role[] | undefined>(ROLES_KEY, marked) ?? [];
    if (!caller.may(roles)) {
      this.trace.refused('role', request, caller.logFields);
      throw new Problem(403, 'ROLE_MISSING', `this needs a token with the role ${roles.join(' or ')}`);
    }
    return true;
  }

  /** Writes the caller on the request. Throws 401 without a valid token, and 429 once its budget of requests is spent. */
  async letIn(request: GuardedRequest): Promise<CallerIdentity> {
    const caller = await this.authenticate(request);
    this.budgets.takeRequest(caller);
    request.caller = caller;
    return caller;
  }

  /** The holder of the request's token; throws 401 if there is none. */
  async authenticate(request: RefusedRequest): Promise<CallerIdentity> {
    const caller = await this.identify(request);
    if (caller !== undefined) return caller;
    if (request.headers['authorization'] === undefined) this.trace.refused('missing', request);
    throw new Problem(401, 'UNAUTHENTICATED', 'send a valid token: Authorization: Bearer <token>');
  }

  /**
   * The same; undefined if the token is missing, unknown, expired or revoked. A token that is given and refused is logged and
   * counted.
   */
  async identify(request: RefusedRequest): Promise<CallerIdentity | undefined> {
    const header = request.headers['authorization'];
    if (header === undefined) return undefined;
    const [, token] = typeof header === 'string' ? (BEARER.exec(header) ?? []) : [];
    const row = token === undefined ? undefined : await this.tokens.find(token);
    const reason = token === undefined ? 'malformed' : this.tokens.fault(row);
    const known =
      row &&
      new CallerIdentity(
        row,
        ROLES.filter((role) => row.roles.includes(role)),
      );
    if (reason === undefined) return known;
    this.trace.refused(reason, request, known?.logFields);
    return undefined;
  }
}
