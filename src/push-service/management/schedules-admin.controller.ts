// Schedules by management: the same bodies and rows as the interface's own (schedules/), without a signature.
import type { ScheduleView } from '../gateway/answers.js';
import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Put } from '@nestjs/common';
import type { Clock } from '../../platform/clock.js';
import { Database } from '../../platform/database/database.js';
import { Loops } from '../../platform/loops.js';
import { invalidMember, notFound, Problem } from '../../platform/http/problem.js';
import { CLOCK, ZONE_RULES } from '../../platform/tokens.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import type { AnswerClock } from '../gateway/answer-times.js';
import { FIRE_LOOP } from '../loop-names.js';
import { requireTable } from '../reservations/wall-clock.js';
import { changeSchedule } from '../schedules/change-schedule.js';
import { deleteSchedule } from '../schedules/delete-schedule.js';
import { ChangedSchedule, NewSchedule, ScheduleList } from '../schedules/schedule-bodies.js';
import { findSchedule, insertSchedule, listSchedules } from '../schedules/schedule.store.js';
import { keepSchedule, scheduleView, unknownZone } from '../schedules/schedule-views.js';
import { findService } from './management.store.js';

@Controller('v1/services/:serviceId/schedules')
export class SchedulesAdminController {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly loops: Loops,
    @Inject(ZONE_RULES) private readonly rules: ZoneRules,
  ) {}

  @Post()
  async create(
    @Param('serviceId') serviceId: string,
    @Body({ schema: NewSchedule }) given: NewSchedule,
  ): Promise<ScheduleView> {
    const service = await this.#service(serviceId);
    this.#checkZone(given);
    const kept = keepSchedule(service, given, this.clock.now(), this.rules);
    const row = await insertSchedule(this.database, kept);
    if (row === undefined) throw new Problem(409, 'SCHEDULE_EXISTS', 'there is a schedule of this code');
    this.loops.wake(FIRE_LOOP);
    return scheduleView(row, service);
  }

  /** The first 100 by their codes. */
  @Get()
  async list(@Param('serviceId') serviceId: string): Promise<ScheduleView[]> {
    const service = await this.#service(serviceId);
    const { rows } = await listSchedules(this.database, serviceId, ScheduleList.parse({ size: '100' }));
    return rows.map((row) => scheduleView(row, service));
  }

  @Get(':scheduleCode')
  async get(
    @Param('serviceId') serviceId: string,
    @Param('scheduleCode') code: string,
  ): Promise<ScheduleView> {
    const service = await this.#service(serviceId);
    const row = await findSchedule(this.database, serviceId, code);
    if (row === undefined) throw notFound('schedule');
    return scheduleView(row, service);
  }

  @Put(':scheduleCode')
  async change(
    @Param('serviceId') serviceId: string,
    @Param('scheduleCode') code: string,
    @Body({ schema: ChangedSchedule }) given: ChangedSchedule,
  ): Promise<ScheduleView> {
    const service = await this.#service(serviceId);
    this.#checkZone(given);
    const { database, clock, rules } = this;
    const row = await changeSchedule({ database, clock, rules }, service, { ...given, scheduleCode: code });
    if (row === undefined) throw notFound('schedule');
    this.loops.wakeAll();
    return scheduleView(row, service);
  }

  @Delete(':scheduleCode')
  @HttpCode(204)
  async delete(@Param('serviceId') serviceId: string, @Param('scheduleCode') code: string): Promise<void> {
    await this.#service(serviceId);
    const deleted = await deleteSchedule(this.database, serviceId, code, new Date(this.clock.now()));
    if (!deleted) throw notFound('schedule');
  }

  async #service(id: string): Promise<AnswerClock & { readonly id: string }> {
    const service = await findService(this.database, id);
    if (service === undefined) throw notFound('service');
    return { id, answerTimes: service.answerTimes, offsets: requireTable(this.rules, service.zone) };
  }

  #checkZone(given: ChangedSchedule): void {
    const fault = unknownZone(given, this.rules);
    if (fault !== undefined) throw invalidMember('/scheduleTimeZone', fault);
  }
}
