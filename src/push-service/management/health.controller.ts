// Liveness and readiness on the management port; no token.
import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Clock } from '../../platform/clock.js';
import { Health } from '../../platform/http/health.js';
import { CLOCK, ZONE_RULES } from '../../platform/tokens.js';
import { zoneRulesView } from '../../zone-rules/load-zone-rules.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';

@Controller('health')
export class HealthController {
  constructor(
    private readonly health: Health,
    @Inject(ZONE_RULES) private readonly rules: ZoneRules,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get('live')
  live(): { status: string } {
    return { status: 'up' };
  }

  /** 503 while something is wrong, each with a sentence; and the zone rules that wall times are read by. */
  @Get('ready')
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const report = await this.health.report();
    const zoneRules = zoneRulesView(this.rules, this.clock.now());
    await reply.code(report.ready ? 200 : 503).send({ ...report, zoneRules });
  }
}
