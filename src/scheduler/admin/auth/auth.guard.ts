// Every request passes here first: without a token there is no data. Checks the bearer token, or the session that stands for one,
// and its role. The controller, which knows the row, checks whether the token holds the row's serviceId (CallerIdentity.own).
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import { Problem } from '../../../platform/http/problem.js';
import type { RefusedAuthentication, RefusedRequest } from '../../../platform/http/refused-authentication.js';
import { hashToken, type TokenStore } from '../../store/token.store.js';
import type { Budgets } from './budgets.js';
import { CallerIdentity, ROLES, type CalledRequest, type Role } from './caller.js';
import { OPEN_KEY, ROLES_KEY } from './roles.js';
import { beginSession, mustBeOurs, renewSession, sessionOf, type SessionRequest } from './session.js';

export type GuardedRequest = CalledRequest & RefusedRequest & SessionRequest;

/** Why a caller was refused, as the metric and the log say it. */
export type RefusedBecause = 'missing' | 'malformed' | 'unknown' | 'expired' | 'revoked' | 'role';

const BEARER = /^Bearer ([A-Za-z0-9_-]{20,200})$/i;

export class AuthGuard implements CanActivate {
  // oxlint-disable-next-line max-params -- injected dependencies, each under its own name
  constructor(
    private readonly reflector: Reflector,
    private readonly tokens: TokenStore,
    private readonly trace: Pick<RefusedAuthentication<RefusedBecause>, 'refused'>,
    private readonly budgets: Pick<Budgets, 'takeRequest' | 'requestsLeft'>,
    /** The machine's own clock, epoch milliseconds: sessions last real hours, also in a sandbox. */
    private readonly wall: () => number,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const marked = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride<boolean | undefined>(OPEN_KEY, marked) === true) return true;
    const request = context.switchToHttp().getRequest<GuardedRequest>();
    // A request with a body was authenticated before its body was read.
    const caller = request.caller ?? (await this.letIn(request));
    const session = this.sessionOf(request);
    if (session !== undefined) renewSession(request, session, this.wall());
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
    request.requestsLeft = () => this.budgets.requestsLeft(caller);
    this.budgets.takeRequest(caller);
    request.caller = caller;
    return caller;
  }

  /** The holder of the request's token; throws 401 if there is none. */
  async authenticate(request: RefusedRequest & SessionRequest): Promise<CallerIdentity> {
    const caller = await this.identify(request);
    if (caller !== undefined) return caller;
    if (request.headers['authorization'] === undefined) this.trace.refused('missing', request);
    throw new Problem(401, 'UNAUTHENTICATED', 'send a valid token: Authorization: Bearer <token>');
  }

  /**
   * The same; undefined if the token is missing, unknown, expired or revoked, or the session over. A token that is given and refused
   * is logged and counted. Throws 400 for a session and a token at once, and 403 for a change that does not come from our pages.
   */
  async identify(request: RefusedRequest & SessionRequest): Promise<CallerIdentity | undefined> {
    const header = request.headers['authorization'];
    const session = this.sessionOf(request);
    if (header === undefined && session === undefined) return undefined;
    if (session === undefined) {
      const [, token] = typeof header === 'string' ? (BEARER.exec(header) ?? []) : [];
      return this.#holderOf(token === undefined ? undefined : hashToken(token), request);
    }
    if (header !== undefined) {
      const text = 'this request has a session and a token: leave one out, or sign out';
      throw new Problem(400, 'TWO_CREDENTIALS', text);
    }
    mustBeOurs(request, session);
    return this.#holderOf(Buffer.from(session.token, 'base64url'), request);
  }

  sessionOf(request: SessionRequest): ReturnType<typeof sessionOf> {
    return sessionOf(request, this.wall());
  }

  /** Throws 401, whatever is wrong with the token. */
  async beginSession(request: GuardedRequest, token: string): Promise<void> {
    const [, given] = BEARER.exec(`Bearer ${token}`) ?? [];
    const holder = await this.#holderOf(given === undefined ? undefined : hashToken(given), request);
    if (holder === undefined) throw new Problem(401, 'UNAUTHENTICATED', 'this token is not valid');
    beginSession(request, token, this.wall());
  }

  /** `hash`: undefined where the token has not the form of one. */
  async #holderOf(hash: Buffer | undefined, request: RefusedRequest): Promise<CallerIdentity | undefined> {
    const row = hash === undefined ? undefined : await this.tokens.findByHash(hash);
    const reason = hash === undefined ? 'malformed' : this.tokens.fault(row);
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
