// Liveness and readiness on the management port; no token.
import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Health } from '../../platform/http/health.js';

@Controller('health')
export class HealthController {
  constructor(private readonly health: Health) {}

  @Get('live')
  live(): { status: string } {
    return { status: 'up' };
  }

  /** 503 while something is wrong, each with a sentence. */
  @Get('ready')
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const report = await this.health.report();
    await reply.code(report.ready ? 200 : 503).send(report);
  }
}
