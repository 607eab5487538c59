// Schedules (push-decisions.md, "Schedule registration") and the cancellation of a scheduled message (push-interface.md §4.4).
import type { Page, ScheduleView, ScheduledMessageView } from '../gateway/answers.js';
import { Body, Controller, Delete, Get, HttpCode, Inject, Post, Put } from '@nestjs/common';
import type { Clock } from '../../platform/clock.js';
import { Database } from '../../platform/database/database.js';
import { Loops } from '../../platform/loops.js';
import { CLOCK, ZONE_RULES } from '../../platform/tokens.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import type { ServiceFacts } from '../gateway/access.store.js';
import { badRequest, notFound, PushError } from '../gateway/push-error.js';
import { JsonBody, PathId, PathName, Query, QueryMembers, Service } from '../gateway/request-parts.js';
import { FIRE_LOOP } from '../loop-names.js';
import { changeSchedule } from './change-schedule.js';
import { deleteSchedule } from './delete-schedule.js';
import { keepSchedule, pageOf, scheduledMessageView, scheduleView, unknownZone } from './schedule-views.js';
import { ChangedSchedule, MessageList, NewSchedule, ScheduleList } from './schedule-bodies.js';
import {
  cancelAttached,
  findSchedule,
  findScheduled,
  insertSchedule,
  listAttached,
  listSchedules,
} from './schedule.store.js';

@Controller('push/v2/services/:serviceId/schedules')
export class SchedulesController {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly loops: Loops,
    @Inject(ZONE_RULES) private readonly rules: ZoneRules,
  ) {}

  @Post()
  @HttpCode(201)
  async create(
    @Service() service: ServiceFacts,
    @Body(new JsonBody(NewSchedule)) given: NewSchedule,
  ): Promise<ScheduleView> {
    this.#checkZone(given);
    const kept = keepSchedule(service, given, this.clock.now(), this.rules);
    const row = await insertSchedule(this.database, kept);
    if (row === undefined) throw new PushError('conflict', 'scheduleCode: there is a schedule of this code');
    this.loops.wake(FIRE_LOOP);
    return scheduleView(row, service);
  }

  @Get()
  async list(
    @Service() service: ServiceFacts,
    @QueryMembers(new Query(ScheduleList)) query: ScheduleList,
  ): Promise<Page<ScheduleView>> {
    const { rows, total } = await listSchedules(this.database, service.id, query);
    return pageOf(
      rows.map((row) => scheduleView(row, service)),
      total,
      query,
    );
  }

  @Get(':scheduleCode')
  async get(@Service() service: ServiceFacts, @PathName('scheduleCode') code: string): Promise<ScheduleView> {
    const row = await findSchedule(this.database, service.id, code);
    if (row === undefined) throw noSchedule();
    return scheduleView(row, service);
  }

  @Put(':scheduleCode')
  async update(
    @Service() service: ServiceFacts,
    @PathName('scheduleCode') code: string,
    @Body(new JsonBody(ChangedSchedule)) given: ChangedSchedule,
  ): Promise<ScheduleView> {
    this.#checkZone(given);
    const { database, clock, rules } = this;
    const row = await changeSchedule({ database, clock, rules }, service, {
      ...given,
      scheduleCode: code,
    });
    if (row === undefined) throw noSchedule();
    this.loops.wakeAll();
    return scheduleView(row, service);
  }

  @Delete(':scheduleCode')
  @HttpCode(204)
  async delete(@Service() service: ServiceFacts, @PathName('scheduleCode') code: string): Promise<void> {
    if (!(await deleteSchedule(this.database, service.id, code, new Date(this.clock.now()))))
      throw noSchedule();
  }

  @Get(':scheduleCode/messages')
  async messages(
    @Service() service: ServiceFacts,
    @PathName('scheduleCode') code: string,
    @QueryMembers(new Query(MessageList)) query: MessageList,
  ): Promise<Page<ScheduledMessageView>> {
    const schedule = await findSchedule(this.database, service.id, code);
    if (schedule === undefined) throw noSchedule();
    const { rows, total } = await listAttached(this.database, schedule.id, query);
    return pageOf(
      rows.map((row) => scheduledMessageView(row, service)),
      total,
      query,
    );
  }

  @Get(':scheduleCode/messages/:messageId')
  async message(
    @Service() service: ServiceFacts,
    @PathName('scheduleCode') code: string,
    @PathId('messageId') messageId: string,
  ): Promise<ScheduledMessageView> {
    const row = await findScheduled(this.database, service.id, code, messageId);
    if (row === undefined || row.state !== 'ATTACHED') throw noMessage();
    return scheduledMessageView(row, service);
  }

  /** push-interface.md §4.4. Not specified: cancelled again, or after the schedule's end, it is as asked for: 204. */
  @Delete(':scheduleCode/messages/:messageId')
  @HttpCode(204)
  async cancelMessage(
    @Service() service: ServiceFacts,
    @PathName('scheduleCode') code: string,
    @PathId('messageId') messageId: string,
  ): Promise<void> {
    const row = await findScheduled(this.database, service.id, code, messageId);
    if (row === undefined) throw noMessage();
    await cancelAttached(this.database, row.id, new Date(this.clock.now()));
  }

  #checkZone(given: ChangedSchedule): void {
    const fault = unknownZone(given, this.rules);
    if (fault !== undefined) throw badRequest(`scheduleTimeZone: ${fault}`);
  }
}

function noSchedule(): PushError {
  return notFound('scheduleCode: there is no such schedule');
}

function noMessage(): PushError {
  return notFound('messageId: there is no such message under this schedule');
}
