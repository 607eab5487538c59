// /health/live and /health/ready: the only routes without a token. Ready says ok or not; why, only to a token's holder.
import { Controller, Get, Headers, Inject, Res } from '@nestjs/common';
import type { Clock } from '../../platform/clock.js';
import { Health, type CheckResult } from '../../platform/http/health.js';
import { Loops } from '../../platform/loops.js';
import { CLOCK, ZONE_RULES } from '../../platform/tokens.js';
import { LATE, within } from '../../platform/within.js';
import { zoneRulesView, type ZoneRulesView } from '../../zone-rules/load-zone-rules.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import { AuthGuard } from './auth/auth.guard.js';
import { Open } from './auth/roles.js';

interface ReadyAnswer {
  status: 'ready' | 'not-ready';
  checks?: readonly CheckResult[];
  loops?: readonly string[];
  /** The rules that this process plans by (planning.md §8). */
  zoneRules?: ZoneRulesView;
}

/** A database that hangs must not make readiness hang, real milliseconds. */
const LOOKUP_MS = 1_000;

@Controller('health')
export class HealthController {
  // oxlint-disable-next-line max-params -- injected parts, each under its own name
  constructor(
    private readonly health: Health,
    private readonly loops: Loops,
    private readonly guard: AuthGuard,
    @Inject(ZONE_RULES) private readonly rules: ZoneRules,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The process answers; says nothing of what it depends on. */
  @Get('live')
  @Open()
  live(): { status: 'live' } {
    return { status: 'live' };
  }

  /** 200 when every check passes, else 503; at most 250 ms old. */
  @Get('ready')
  @Open()
  async ready(
    @Headers('authorization') authorization: string | undefined,
    @Res({ passthrough: true }) reply: { code(status: number): void },
  ): Promise<ReadyAnswer> {
    const { ready, checks } = await this.health.report();
    reply.code(ready ? 200 : 503);
    const status = ready ? 'ready' : 'not-ready';
    // With the database away no token can be looked up; /metrics and the log tell then.
    const caller = await within(this.guard.identify(authorization), LOOKUP_MS).catch(() => undefined);
    if (caller === undefined || caller === LATE) return { status };
    const zoneRules = zoneRulesView(this.rules, this.clock.now());
    return { status, checks, loops: this.loops.status().map(({ name }) => name), zoneRules };
  }
}
