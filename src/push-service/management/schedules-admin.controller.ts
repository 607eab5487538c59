// Schedules in the management API: the same bodies and rows as in the interface (schedules/), without a signature.
import type { ScheduleView } from '../gateway/answers.js';
import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Put } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { invalidMember, notFound, Problem } from '../../platform/http/problem.js';
import { ZONE_RULES } from '../../platform/injection-tokens.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import { requireTable } from '../wall-clock.js';
import { ChangedSchedule, NewSchedule, ScheduleList } from '../schedules/schedule-bodies.js';
import { listSchedules } from '../schedules/schedule.store.js';
import { scheduleView } from '../schedules/schedule-views.js';
import { Schedules, type ScheduleService } from '../schedules/schedules.js';
import { requireFound } from './require-found.js';
import { findService } from './management.store.js';

@Controller('v1/services/:serviceId/schedules')
export class SchedulesAdminController {
  constructor(
    private readonly schedules: Schedules,
    private readonly database: Database,
    @Inject(ZONE_RULES) private readonly rules: ZoneRules,
  ) {}

  @Post()
  async create(
    @Param('serviceId') serviceId: string,
    @Body({ schema: NewSchedule }) given: NewSchedule,
  ): Promise<ScheduleView> {
    const service = await this.#service(serviceId);
    this.#checkZone(given);
    const created = await this.schedules.create(service, given);
    if (created === undefined) throw new Problem(409, 'SCHEDULE_EXISTS', 'there is a schedule of this code');
    return created;
  }

  /** The first 100, in order of their codes. */
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
    return requireFound(await this.schedules.find(await this.#service(serviceId), code), 'schedule');
  }

  @Put(':scheduleCode')
  async change(
    @Param('serviceId') serviceId: string,
    @Param('scheduleCode') code: string,
    @Body({ schema: ChangedSchedule }) given: ChangedSchedule,
  ): Promise<ScheduleView> {
    const service = await this.#service(serviceId);
    this.#checkZone(given);
    return requireFound(await this.schedules.change(service, { ...given, scheduleCode: code }), 'schedule');
  }

  @Delete(':scheduleCode')
  @HttpCode(204)
  async delete(@Param('serviceId') serviceId: string, @Param('scheduleCode') code: string): Promise<void> {
    await this.#service(serviceId);
    if (!(await this.schedules.delete(serviceId, code))) throw notFound('schedule');
  }

  async #service(id: string): Promise<ScheduleService> {
    const { answerTimes, zone } = requireFound(await findService(this.database, id), 'service');
    return { id, answerTimes, offsets: requireTable(this.rules, zone) };
  }

  #checkZone(given: ChangedSchedule): void {
    const fault = this.schedules.zoneFault(given);
    if (fault !== undefined) throw invalidMember('/scheduleTimeZone', fault);
  }
}
