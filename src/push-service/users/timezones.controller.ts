// The extensions `target-timezone` (users and devices by registered offset) and `user-timezones` (the offsets of many users).
// They have a path of their own beside users: below users it would be the path of a user with that name.
import type { TimezoneCount, UserTimezone } from '../gateway/answers.js';
import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import type { z } from 'zod';
import { Database } from '../../platform/database/database.js';
import type { ServiceFacts } from '../gateway/access.store.js';
import { CountTurns } from '../gateway/count-turns.js';
import { JsonBody, Query, QueryMembers, Service } from '../gateway/request-parameters.js';
import { TimezonesOf, TimezonesQuery } from './user-registration.js';
import { countTimezones, timezonesOf } from './user.store.js';

@Controller('push/v2/services/:serviceId/timezones')
export class TimezonesController {
  constructor(
    private readonly counts: CountTurns,
    private readonly database: Database,
  ) {}

  @Get()
  get(
    @Service() service: ServiceFacts,
    @QueryMembers(new Query(TimezonesQuery)) query: z.output<typeof TimezonesQuery>,
  ): Promise<TimezoneCount[]> {
    return this.counts.take(service.id, (sql) => countTimezones(sql, service.id, query));
  }

  /** Only reads by a unique key, so it takes no turn of the counts. */
  @Post()
  @HttpCode(200)
  of(
    @Service() service: ServiceFacts,
    @Body(new JsonBody(TimezonesOf)) { userIds }: TimezonesOf,
  ): Promise<UserTimezone[]> {
    return timezonesOf(this.database, service.id, userIds);
  }
}
