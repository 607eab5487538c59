// push-interface.md §4.1: devices and users.
import type { UserView } from '../gateway/answers.js';
import { Body, Controller, Delete, Get, HttpCode, Inject, Post } from '@nestjs/common';
import type { Clock } from '../../platform/clock.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { Database } from '../../platform/database/database.js';
import { answerOf } from '../gateway/answer-times.js';
import type { ServiceFacts } from '../gateway/access.store.js';
import { requireFound, notFound } from '../gateway/push-error.js';
import { JsonBody, PathName, Service } from '../gateway/request-parameters.js';
import { retryingRaces } from '../gateway/retry-races.js';
import { Registration } from './user-registration.js';
import { deleteUser, findUser, registerUser } from './user.store.js';

const NO_USER = 'userId: there is no such user';

@Controller('push/v2/services/:serviceId/users')
export class UsersController {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post()
  @HttpCode(201)
  async register(
    @Service() service: ServiceFacts,
    @Body(new JsonBody(Registration)) given: Registration,
  ): Promise<void> {
    const registered = await retryingRaces(() =>
      registerUser(this.database, service.id, given, new Date(this.clock.now())),
    );
    if (!registered) throw notFound('channelName: there is no such channel');
  }

  @Get(':userId')
  async get(@Service() service: ServiceFacts, @PathName('userId') userId: string): Promise<UserView> {
    const row = requireFound(await findUser(this.database, service.id, userId), NO_USER);
    return answerOf(row, service);
  }

  @Delete(':userId')
  @HttpCode(204)
  async delete(@Service() service: ServiceFacts, @PathName('userId') userId: string): Promise<void> {
    const deleted = await deleteUser(this.database, service.id, userId, new Date(this.clock.now()));
    if (!deleted) throw notFound(NO_USER);
  }
}
