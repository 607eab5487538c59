// /health/live and /health/ready: the only routes without a token. Only the holder of a token sees why a process is not ready.
import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import type { Clock } from '../../../platform/clock.js';
import { checksFor, Health } from '../../../platform/http/health.js';
import { Operation } from '../../../platform/http/operation.decorator.js';
import { listOf } from '../../../platform/http/zod-schemas.js';
import { Loops } from '../../../platform/loops/loops.js';
import { CLOCK, ZONE_RULES } from '../../../platform/injection-tokens.js';
import { LATE, within } from '../../../platform/with-timeout.js';
import { zoneRulesView } from '../../../zone-rules/load-zone-rules.js';
import type { ZoneRules } from '../../../zone-rules/zone-rules.js';
import { AuthGuard, type GuardedRequest } from '../auth/auth.guard.js';
import { Open } from '../auth/roles.js';

const Live = z.object({ status: z.literal('live') });
const Ready = z
  .object({
    status: z.enum(['ready', 'not-ready']),
    checks: listOf(
      z.object({
        name: z.string(),
        ok: z.boolean(),
        note: z.literal(true).optional().describe('The check failed, but the process is still ready'),
        text: z.string(),
      }),
    ).optional(),
    loops: listOf(z.string()).optional(),
    zoneRules: z
      .object({ version: z.string(), source: z.string(), yearsBehind: z.int().nullable() })
      .optional()
      .describe('The rules that this process plans by'),
  })
  .describe("Only a token's holder sees more than the status, and only about services that the token holds")
  .meta({ id: 'Readiness' });

/** How long the look-up of a token may take, real milliseconds: readiness must not hang with the database. */
const LOOKUP_MS = 1_000;

@Controller('health')
export class HealthController {
  // oxlint-disable-next-line max-params -- injected dependencies, each under its own name
  constructor(
    private readonly health: Health,
    private readonly loops: Loops,
    private readonly guard: AuthGuard,
    @Inject(ZONE_RULES) private readonly rules: ZoneRules,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Checks nothing that the process depends on. */
  @Operation(Live, { summary: 'The process answers' })
  @Get('live')
  @Open()
  live(): { status: 'live' } {
    return { status: 'live' };
  }

  /** 200 if every check passes, else 503; the answer is at most 250 ms old. */
  @Operation(Ready, { summary: 'Whether it can do its work', otherStatuses: [503] })
  @Get('ready')
  @Open()
  async ready(
    @Req() request: GuardedRequest,
    @Res({ passthrough: true }) reply: { code(status: number): void },
  ): Promise<z.output<typeof Ready>> {
    const { ready, checks } = await this.health.report();
    reply.code(ready ? 200 : 503);
    const status = ready ? 'ready' : 'not-ready';
    // While the database is away no token can be looked up; /metrics and the log have the reasons.
    const caller = await within(this.guard.identify(request), LOOKUP_MS).catch(() => undefined);
    if (caller === undefined || caller === LATE) return { status };
    const zoneRules = zoneRulesView(this.rules, this.clock.now());
    const shown = checksFor(checks, caller.holdsEverything ? undefined : caller.holds);
    return { status, checks: shown, loops: this.loops.status().map(({ name }) => name), zoneRules };
  }
}
