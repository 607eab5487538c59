// push-decisions.md, "Management": what a service has taken by day, and what became of it. A client's ledger compares it with its
// own counts.
import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import type { Clock } from '../../platform/clock.js';
import { Database } from '../../platform/database/database.js';
import { instantText } from '../../platform/instant.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { added, totalsBetween } from '../messages/totals.store.js';
import { PUSH_SERVICE_CONFIG, type PushServiceConfig } from '../push-service.config.js';
import type { ServiceTotals } from './management-answers.js';
import { requireFound } from './require-found.js';
import { findService } from './management.store.js';

/** The most days of one request. */
const MOST_DAYS = 31;
const DAY_MS = 86_400_000;

/** 1970 or later: ids carry no earlier day. */
const day = z.iso
  .date()
  .transform((text) => Date.parse(text))
  .refine((at) => at >= 0, 'must be 1970-01-01 or later');
const TotalsQuery = z
  .strictObject({ from: day, to: day })
  .refine(({ from, to }) => from < to, { path: ['to'], message: 'must be later than from' })
  .refine(({ from, to }) => to - from <= MOST_DAYS * DAY_MS, {
    path: ['to'],
    message: `must be at most ${MOST_DAYS} days later than from`,
  });

@Controller('v1/services')
export class TotalsController {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(PUSH_SERVICE_CONFIG) private readonly config: PushServiceConfig,
  ) {}

  /** By days of UTC, from `from` until before `to`. A message counts on the day of the instant in its requestId. */
  @Get(':serviceId/totals')
  async totals(
    @Param('serviceId') serviceId: string,
    @Query({ schema: TotalsQuery }) { from, to }: z.output<typeof TotalsQuery>,
  ): Promise<ServiceTotals> {
    requireFound(await findService(this.database, serviceId), 'service');
    const now = this.clock.now();
    const keptDays = this.config.PUSH_MESSAGE_RETENTION_DAYS;
    const keptFrom = keptDays === 0 ? 0 : now - keptDays * DAY_MS;
    const days: ServiceTotals['days'] = [];
    for (let at = from; at < to; at += DAY_MS) {
      const { final, open } = await totalsBetween(this.database, serviceId, at, at + DAY_MS);
      const date = instantText(at).slice(0, 10);
      days.push({ day: date, whole: at >= keptFrom, total: added(final, open), final, open });
    }
    return { asOf: instantText(now), days };
  }
}
