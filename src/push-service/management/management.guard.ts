// The management API's bearer token. Health and the OpenAPI documents need none: they tell no secret.
import { hash, timingSafeEqual } from 'node:crypto';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Secret } from '../../platform/env.js';
import { Problem } from '../../platform/http/problem.js';

export class ManagementGuard implements CanActivate {
  readonly #expected: Buffer;

  constructor(token: Secret) {
    this.#expected = digestOf(`Bearer ${token.reveal()}`);
  }

  /** Hashed, so that the comparison takes as long whatever was sent. */
  isHolder(authorization = ''): boolean {
    return timingSafeEqual(digestOf(authorization), this.#expected);
  }

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (/^\/(?:health|openapi)\//.test(request.routeOptions.url ?? '')) return true;
    this.authenticate(request.headers.authorization);
    return true;
  }

  /** Throws 401 for all but the token's holder. */
  authenticate(authorization: string | undefined): void {
    if (this.isHolder(authorization)) return;
    throw new Problem(401, 'UNAUTHENTICATED', 'the management token is missing or wrong');
  }
}

function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
