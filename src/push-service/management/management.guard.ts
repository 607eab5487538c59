// Checks the bearer token of the management API. Health and the OpenAPI documents need no token: they contain no secret.
import { hash, timingSafeEqual } from 'node:crypto';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Secret } from '../../platform/env.js';
import { Problem } from '../../platform/http/problem.js';
import type { RefusedAuthentication, RefusedRequest } from '../../platform/http/refused-authentication.js';
import type { RefusedBecause } from '../gateway/authenticate.js';

export class ManagementGuard implements CanActivate {
  readonly #expected: Buffer;

  constructor(
    token: Secret,
    private readonly trace: Pick<RefusedAuthentication<RefusedBecause>, 'refused'>,
  ) {
    this.#expected = digestOf(`Bearer ${token.reveal()}`);
  }

  /** Compares hashes, so that the comparison always takes the same time. Counts and logs a token that is wrong. */
  isHolder(request: RefusedRequest): boolean {
    const { authorization } = request.headers;
    const given = typeof authorization === 'string' ? authorization : '';
    const isRight = timingSafeEqual(digestOf(given), this.#expected);
    if (!isRight && given !== '') this.trace.refused('management-token', request);
    return isRight;
  }

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (/^\/(?:health|openapi)\//.test(request.routeOptions.url ?? '')) return true;
    this.authenticate(request);
    return true;
  }

  /** Throws 401 unless the caller has the token. */
  authenticate(request: RefusedRequest): void {
    if (this.isHolder(request)) return;
    if (request.headers['authorization'] === undefined) this.trace.refused('management-token', request);
    throw new Problem(401, 'UNAUTHENTICATED', 'the management token is missing or wrong');
  }
}

function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
