// push-interface.md §4.2: channels.
import { CountTurns } from '../gateway/count-turns.js';
import type { ChannelView } from '../gateway/answers.js';
import { Body, Controller, Delete, Get, HttpCode, Inject, Post, Put } from '@nestjs/common';
import type { Clock } from '../../platform/clock.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { Database, type Sql } from '../../platform/database/database.js';
import type { ServiceFacts } from '../gateway/access.store.js';
import { answerOf } from '../gateway/answer-times.js';
import { notFound, PushError } from '../gateway/push-error.js';
import { JsonBody, PathName, Query, QueryMembers, Service } from '../gateway/request-parameters.js';
import { retryingRaces } from '../gateway/retry-races.js';
import { Channel, ChannelList, Channels } from './channel-bodies.js';
import {
  changeMember,
  createChannel,
  deleteChannels,
  listChannels,
  lockChannels,
  updateChannels,
  type MembershipFacts,
} from './channel.store.js';

@Controller('push/v2/services/:serviceId/channels')
export class ChannelsController {
  constructor(
    private readonly database: Database,
    private readonly counts: CountTurns,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post()
  @HttpCode(201)
  async create(
    @Service() service: ServiceFacts,
    @Body(new JsonBody(Channel)) channel: Channel,
  ): Promise<void> {
    const created = await createChannel(this.database, service.id, channel, new Date(this.clock.now()));
    if (!created) throw new PushError('conflict', 'channelName: there is a channel of this name');
  }

  @Put()
  async update(
    @Service() service: ServiceFacts,
    @Body(new JsonBody(Channels)) channels: Channels,
  ): Promise<ChannelView[]> {
    const rows = await this.#forAll(service, channels, (sql) =>
      updateChannels(sql, service.id, channels, new Date(this.clock.now())),
    );
    return rows.map((row) => answerOf(row, service));
  }

  @Get()
  async list(
    @Service() service: ServiceFacts,
    @QueryMembers(new Query(ChannelList)) query: ChannelList,
  ): Promise<ChannelView[]> {
    const rows = await this.counts.take(service.id, (sql) => listChannels(sql, service.id, query));
    return rows.map((row) => answerOf(row, service));
  }

  @Delete()
  @HttpCode(204)
  async delete(
    @Service() service: ServiceFacts,
    @Body(new JsonBody(Channels)) channels: Channels,
  ): Promise<void> {
    await this.#forAll(service, channels, (sql, names) => deleteChannels(sql, service.id, names));
  }

  @Get(':channelName/users/:userId')
  @HttpCode(201)
  async addUser(
    @Service() service: ServiceFacts,
    @PathName('channelName') channelName: string,
    @PathName('userId') userId: string,
  ): Promise<void> {
    const who = { serviceId: service.id, channelName, userId };
    checkFound(await retryingRaces(() => changeMember(this.database, 'add', who)));
  }

  /** push-decisions.md, "Users, channels": every client that we found sends POST where the document lists GET. */
  @Post(':channelName/users/:userId')
  @HttpCode(201)
  async addUserByPost(
    @Service() service: ServiceFacts,
    @PathName('channelName') channelName: string,
    @PathName('userId') userId: string,
  ): Promise<void> {
    await this.addUser(service, channelName, userId);
  }

  @Delete(':channelName/users/:userId')
  @HttpCode(204)
  async removeUser(
    @Service() service: ServiceFacts,
    @PathName('channelName') channelName: string,
    @PathName('userId') userId: string,
  ): Promise<void> {
    const who = { serviceId: service.id, channelName, userId };
    checkFound(await changeMember(this.database, 'remove', who));
  }

  /** All or nothing: where one channel does not exist, none is touched. */
  #forAll<T>(
    service: ServiceFacts,
    channels: Channels,
    work: (sql: Sql, names: string[]) => Promise<T>,
  ): Promise<T> {
    const names = channels.map((channel) => channel.channelName);
    return retryingRaces(() =>
      this.database.transaction(async (sql) => {
        const found = new Set(await lockChannels(sql, service.id, names));
        const missing = names.findIndex((name) => !found.has(name));
        if (missing !== -1) throw notFound(`[${missing}].channelName: there is no such channel`);
        return work(sql, names);
      }),
    );
  }
}

function checkFound(found: MembershipFacts): void {
  if (!found.channelExists) throw notFound('channelName: there is no such channel');
  if (!found.userExists) throw notFound('userId: there is no such user');
}
