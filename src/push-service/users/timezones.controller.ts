// Extension `target-timezone`: users and devices by registered offset. A path of its own beside users: below them it would be the
// path of a user with its name.
import type { TimezoneCount } from '../gateway/answers.js';
import { Controller, Get } from '@nestjs/common';
import type { z } from 'zod';
import type { ServiceFacts } from '../gateway/access.store.js';
import { CountTurns } from '../gateway/count-turns.js';
import { Query, QueryMembers, Service } from '../gateway/request-parts.js';
import { TimezonesQuery } from './user-registration.js';
import { countTimezones } from './user.store.js';

@Controller('push/v2/services/:serviceId/timezones')
export class TimezonesController {
  constructor(private readonly counts: CountTurns) {}

  @Get()
  get(
    @Service() service: ServiceFacts,
    @QueryMembers(new Query(TimezonesQuery)) query: z.output<typeof TimezonesQuery>,
  ): Promise<TimezoneCount[]> {
    return this.counts.take(service.id, (sql) => countTimezones(sql, service.id, query));
  }
}
