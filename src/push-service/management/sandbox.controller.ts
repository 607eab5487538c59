// push-decisions.md, "Management": faults, what devices were handed, the clock, and extra firings of schedules. It is registered
// only with --sandbox; without it these routes answer 404.
import type { DeliveryRow, TakenMessageRow } from './management-answers.js';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { z } from 'zod';
import { Database } from '../../platform/database/database.js';
import { alone, ensurePartitions, finishDrops } from '../../platform/database/day-partitions.js';
import { Loops } from '../../platform/loops/loops.js';
import { notFound } from '../../platform/http/problem.js';
import { renderPayload } from '../../push-contract/payload/render.js';
import { count } from '../gateway/fields.js';
import { fireNow } from '../schedules/fire-schedules.js';
import { findSchedule } from '../schedules/schedule.store.js';
import { FaultRequest, Faults, type Fault } from './faults.js';
import { requireFound } from './require-found.js';
import { findDeliveries, findTakenMessages } from './management.store.js';
import { SandboxClock, type ClockSetting } from './sandbox-clock.js';

const SetClock = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('real') }),
  z.strictObject({
    mode: z.literal('frozen'),
    at: z.iso.datetime({ offset: true }).transform((at) => Date.parse(at)),
  }),
  z.strictObject({ mode: z.literal('ahead'), ms: z.number().int().min(-3e12).max(3e12) }),
]);

const page = { limit: count(1, 10_000, 1_000), offset: count(0, 2_147_483_647, 0) };
const DeliveriesQuery = z.object({ requestId: z.uuid(), ...page });
const MessagesQuery = z.object(page);

interface ClockView {
  mode: ClockSetting['mode'];
  now: string;
}

@Controller('v1/sandbox')
export class SandboxController {
  constructor(
    private readonly database: Database,
    private readonly clock: SandboxClock,
    private readonly faults: Faults,
    private readonly loops: Loops,
  ) {}

  @Post('faults')
  addFault(@Body({ schema: FaultRequest }) fault: FaultRequest): Fault {
    return this.faults.add(fault);
  }

  @Get('faults')
  listFaults(): readonly Fault[] {
    return this.faults.list();
  }

  @Delete('faults')
  @HttpCode(204)
  clearFaults(): void {
    this.faults.clear();
  }

  @Delete('faults/:id')
  @HttpCode(204)
  removeFault(@Param('id', { schema: z.coerce.number().int() }) id: number): void {
    if (!this.faults.remove(id)) throw notFound('fault');
  }

  /** Oldest first. FCM payloads have the device's own token. */
  @Get('deliveries')
  async deliveries(
    @Query({ schema: DeliveriesQuery }) query: z.output<typeof DeliveriesQuery>,
  ): Promise<unknown[]> {
    const rows = await findDeliveries(this.database, query.requestId, query.limit, query.offset);
    return rows.map(deliveryView);
  }

  /** Every message that the service has taken, oldest first, also one whose sender got no answer. */
  @Get('services/:serviceId/messages')
  messages(
    @Param('serviceId') serviceId: string,
    @Query({ schema: MessagesQuery }) { limit, offset }: z.output<typeof MessagesQuery>,
  ): Promise<TakenMessageRow[]> {
    return findTakenMessages(this.database, serviceId, limit, offset);
  }

  @Get('clock')
  readClock(): ClockView {
    return { mode: this.clock.mode, now: new Date(this.clock.now()).toISOString() };
  }

  /** First makes the partitions of the days to which the clock is set. What the change makes due is fired. */
  @Put('clock')
  async setClock(@Body({ schema: SetClock }) to: z.output<typeof SetClock>): Promise<ClockView> {
    const { database } = this;
    await this.clock.set(to, async (now) => {
      // Finishes the drop of days first, so that no new row belongs to a day whose drop the former clock has begun.
      await alone(database, () => finishDrops(database));
      await ensurePartitions(database, new Date(now));
    });
    this.loops.wakeAll();
    return this.readClock();
  }

  /** Fires every message of the schedule once, now, whatever its times are. */
  @Post('services/:serviceId/schedules/:scheduleCode/fire')
  async fire(
    @Param('serviceId') serviceId: string,
    @Param('scheduleCode') code: string,
  ): Promise<{ firings: number }> {
    const { id } = requireFound(await findSchedule(this.database, serviceId, code), 'schedule');
    const firings = await fireNow(this.database, this.clock, id);
    this.loops.wakeAll();
    return { firings };
  }
}

function deliveryView({ headers, body, handedAt, ...row }: DeliveryRow): unknown {
  const payload =
    body === null || row.deviceToken === null
      ? null
      : (JSON.parse(renderPayload({ deviceType: row.deviceType, body }, row.deviceToken)) as unknown);
  return { ...row, handedAt: handedAt.toISOString(), headers: headers ?? {}, payload };
}
