// Liveness and readiness on the management port. No token is needed, except for the reasons: they name hosts and keys.
import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../platform/clock.js';
import { Health } from '../../platform/http/health.js';
import { CLOCK, ZONE_RULES } from '../../platform/injection-tokens.js';
import { zoneRulesView } from '../../zone-rules/load-zone-rules.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import { ManagementGuard } from './management.guard.js';

@Controller('health')
export class HealthController {
  constructor(
    private readonly health: Health,
    @Inject(ZONE_RULES) private readonly rules: ZoneRules,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly guard: ManagementGuard,
  ) {}

  @Get('live')
  live(): { status: string } {
    return { status: 'up' };
  }

  /** 503 while something is wrong. With the token it also answers the checks, each with a sentence, and the zone rules. */
  @Get('ready')
  async ready(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { ready, checks } = await this.health.report();
    const zoneRules = zoneRulesView(this.rules, this.clock.now());
    await reply
      .code(ready ? 200 : 503)
      .send(this.guard.isHolder(request) ? { ready, checks, zoneRules } : { ready });
  }
}
