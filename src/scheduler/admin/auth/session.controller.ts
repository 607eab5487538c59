// /v1/session: people sign in with a token and get a cookie in its place, so that no page ever holds the token.
import { Body, Controller, Delete, Get, HttpCode, Inject, Post, Req } from '@nestjs/common';
import { z } from 'zod';
import { SystemClock, type Clock } from '../../../platform/clock.js';
import { networkOf } from '../../../platform/http/http-limits.js';
import { BareOperation, Operation } from '../../../platform/http/operation.decorator.js';
import { Problem } from '../../../platform/http/problem.js';
import { listOf } from '../../../platform/http/zod-schemas.js';
import { CLOCK, ZONE_RULES } from '../../../platform/injection-tokens.js';
import { TokenBuckets } from '../../../platform/token-buckets.js';
import { packageVersion } from '../../../platform/version.js';
import type { ZoneRules } from '../../../zone-rules/zone-rules.js';
import { AuthGuard, type GuardedRequest } from './auth.guard.js';
import { ROLES, type CallerIdentity } from './caller.js';
import { Caller } from './caller.decorator.js';
import { Open, Roles } from './roles.js';

/** Tries to sign in that one address, and one beginning of a token, have in a minute. */
const SIGN_INS_A_MINUTE = 5;
const PREFIX_LETTERS = 10;

const signIn = z.strictObject({ token: z.string().min(1).max(300) });

const SessionView = z
  .object({
    token: z.string().describe('The name of the token'),
    roles: listOf(z.enum(ROLES)),
    serviceIds: listOf(z.string()).describe('* holds every serviceId'),
    expiresAt: z.iso.datetime().describe('When the token expires'),
    csrf: z
      .string()
      .nullable()
      .describe('What a request of this session that changes something has as x-csrf; null: a bearer token'),
    now: z.iso.datetime().describe('By the clock of this server'),
    clockRate: z.number().describe('Seconds of that clock in a real one: 1, or more in a sandbox'),
    version: z.string(),
    tzdata: z.string().describe('The release of the time zone database that it plans by'),
  })
  .meta({ id: 'Session' });
type SessionView = z.output<typeof SessionView>;

@Controller('v1/session')
export class SessionController {
  readonly #tries: TokenBuckets;

  constructor(
    private readonly guard: AuthGuard,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ZONE_RULES) private readonly rules: ZoneRules,
  ) {
    this.#tries = new TokenBuckets(clock);
  }

  /** Lasts 12 h, 2 h without a request, and never longer than the token. */
  @BareOperation({
    summary: 'Signs in: sets the cookie of a session',
    changesNothing: true,
    refusals: {
      400: ['TLS_NEEDED'],
      401: ['UNAUTHENTICATED'],
      403: ['FOREIGN_REQUEST'],
      429: ['TOO_MANY_SIGN_INS'],
    },
  })
  @Post()
  @Open()
  @HttpCode(204)
  async begin(@Body({ schema: signIn }) { token }: z.output<typeof signIn>, @Req() request: GuardedRequest) {
    this.#takeTry(networkOf(request.ip), token.slice(0, PREFIX_LETTERS));
    await this.guard.beginSession(request, token);
  }

  @Operation(SessionView, { summary: 'Who is signed in, and what the server is' })
  @Get()
  @Roles(...ROLES)
  show(@Caller() caller: CallerIdentity, @Req() request: GuardedRequest): SessionView {
    return {
      token: caller.tokenName,
      roles: [...caller.roles],
      serviceIds: [...caller.serviceIds],
      expiresAt: caller.expiresAt.toISOString(),
      csrf: this.guard.sessionOf(request)?.csrf ?? null,
      now: new Date(this.clock.now()).toISOString(),
      clockRate: this.clock instanceof SystemClock ? this.clock.rate : 1,
      version: packageVersion(),
      tzdata: this.rules.version,
    };
  }

  @BareOperation({ summary: 'Signs out' })
  @Delete()
  @Roles(...ROLES)
  @HttpCode(204)
  end(@Req() request: GuardedRequest): void {
    request.session?.delete();
  }

  #takeTry(...names: readonly string[]): void {
    const size = SIGN_INS_A_MINUTE;
    const lack = this.#tries.take(names.map((name) => ({ name, amount: 1, size, perSecond: size / 60 })));
    if (lack === undefined) return;
    const retryAfterSeconds = Math.max(1, Math.ceil(lack.waitMs / 1_000));
    const text = `too many tries to sign in: try again in ${retryAfterSeconds} s`;
    throw new Problem(429, 'TOO_MANY_SIGN_INS', text, { retryAfterSeconds });
  }
}
