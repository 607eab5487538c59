// Schedules (push-decisions.md, "Schedule registration") and the cancellation of a scheduled message (push-interface.md §4.4).
import type { Page, ScheduleView, ScheduledMessageView } from '../gateway/answers.js';
import { Body, Controller, Delete, Get, HttpCode, Inject, Post, Put } from '@nestjs/common';
import type { Clock } from '../../platform/clock.js';
import { Database } from '../../platform/database/database.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import type { ServiceFacts } from '../gateway/access.store.js';
import { badRequest, requireFound, notFound, PushError } from '../gateway/push-error.js';
import { JsonBody, PathId, PathName, Query, QueryMembers, Service } from '../gateway/request-parameters.js';
import { pageOf, scheduleView } from './schedule-views.js';
import { ChangedSchedule, MessageList, NewSchedule, ScheduleList } from './schedule-bodies.js';
import {
  cancelAttached,
  findSchedule,
  findScheduled,
  listAttached,
  listSchedules,
} from './schedule.store.js';
import { Schedules } from './schedules.js';

const NO_SCHEDULE = 'scheduleCode: there is no such schedule';
const NO_MESSAGE = 'messageId: there is no such message under this schedule';

@Controller('push/v2/services/:serviceId/schedules')
export class SchedulesController {
  constructor(
    private readonly schedules: Schedules,
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post()
  @HttpCode(201)
  async create(
    @Service() service: ServiceFacts,
    @Body(new JsonBody(NewSchedule)) given: NewSchedule,
  ): Promise<ScheduleView> {
    this.#checkZone(given);
    const created = await this.schedules.create(service, given);
    if (created === undefined)
      throw new PushError('conflict', 'scheduleCode: there is a schedule of this code');
    return created;
  }

  @Get()
  async list(
    @Service() service: ServiceFacts,
    @QueryMembers(new Query(ScheduleList)) query: ScheduleList,
  ): Promise<Page<ScheduleView>> {
    const { rows, total } = await listSchedules(this.database, service.id, query);
    const views = rows.map((row) => scheduleView(row, service));
    return pageOf(views, total, query);
  }

  @Get(':scheduleCode')
  async get(@Service() service: ServiceFacts, @PathName('scheduleCode') code: string): Promise<ScheduleView> {
    return requireFound(await this.schedules.find(service, code), NO_SCHEDULE);
  }

  @Put(':scheduleCode')
  async update(
    @Service() service: ServiceFacts,
    @PathName('scheduleCode') code: string,
    @Body(new JsonBody(ChangedSchedule)) given: ChangedSchedule,
  ): Promise<ScheduleView> {
    this.#checkZone(given);
    const changed = await this.schedules.change(service, { ...given, scheduleCode: code });
    return requireFound(changed, NO_SCHEDULE);
  }

  @Delete(':scheduleCode')
  @HttpCode(204)
  async delete(@Service() service: ServiceFacts, @PathName('scheduleCode') code: string): Promise<void> {
    if (!(await this.schedules.delete(service.id, code))) throw notFound(NO_SCHEDULE);
  }

  @Get(':scheduleCode/messages')
  async messages(
    @Service() service: ServiceFacts,
    @PathName('scheduleCode') code: string,
    @QueryMembers(new Query(MessageList)) query: MessageList,
  ): Promise<Page<ScheduledMessageView>> {
    const { id } = requireFound(await findSchedule(this.database, service.id, code), NO_SCHEDULE);
    const { rows, total } = await listAttached(this.database, id, query);
    return pageOf(rows, total, query);
  }

  @Get(':scheduleCode/messages/:messageId')
  async message(
    @Service() service: ServiceFacts,
    @PathName('scheduleCode') code: string,
    @PathId('messageId') messageId: string,
  ): Promise<ScheduledMessageView> {
    const { state, ...view } = await this.#message(service.id, code, messageId);
    if (state !== 'ATTACHED') throw notFound(NO_MESSAGE);
    return view;
  }

  /** push-interface.md §4.4. Not specified: to cancel it again, or after the schedule's end, changes nothing: 204. */
  @Delete(':scheduleCode/messages/:messageId')
  @HttpCode(204)
  async cancelMessage(
    @Service() service: ServiceFacts,
    @PathName('scheduleCode') code: string,
    @PathId('messageId') messageId: string,
  ): Promise<void> {
    await this.#message(service.id, code, messageId);
    await cancelAttached(this.database, messageId, new Date(this.clock.now()));
  }

  async #message(serviceId: string, code: string, id: string) {
    return requireFound(await findScheduled(this.database, serviceId, code, id), NO_MESSAGE);
  }

  #checkZone(given: ChangedSchedule): void {
    const fault = this.schedules.zoneFault(given);
    if (fault !== undefined) throw badRequest(`scheduleTimeZone: ${fault}`);
  }
}
