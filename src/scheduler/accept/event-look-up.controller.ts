// GET /v1/events: shows what became of an event, by its source and id. For publishers over Kafka, which gives no verdict.
import { Controller, Get, Inject, Query } from '@nestjs/common';
import { z } from 'zod';
import type { Clock } from '../../platform/clock.js';
import { Database } from '../../platform/database/database.js';
import { Operation } from '../../platform/http/operation.decorator.js';
import { storableText } from '../../platform/http/storable-text.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import type { CallerIdentity } from '../admin/auth/caller.js';
import { Caller } from '../admin/auth/caller.decorator.js';
import { Roles } from '../admin/auth/roles.js';
import { eventsSeen } from './event-look-up.store.js';
import { seenAnswer, SeenEvents } from './event-verdict.js';

const eventName = z.object({
  source: storableText(255).min(1).describe('As the event has it'),
  id: storableText(255).min(1),
  serviceId: storableText(128)
    .min(1)
    .optional()
    .describe(
      'Only the events of this service, because others may use the same source and id [all services of the token]',
    ),
});

@Controller('v1/events')
@Roles('publisher', 'operator')
export class EventLookUpController {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Operation(SeenEvents, {
    summary: 'What became of an event, by its source and id; whether it came over Kafka or HTTP',
    inTurn: true,
  })
  @Get()
  async find(
    @Query({ schema: eventName }) { source, id, serviceId }: z.output<typeof eventName>,
    @Caller() caller: CallerIdentity,
  ): Promise<SeenEvents> {
    const now = new Date(this.clock.now());
    const serviceIds = caller.heldOf(serviceId);
    const seen = await eventsSeen(this.database, { source, id, serviceIds, now });
    return { source, id, seen: seen.map(seenAnswer) };
  }
}
