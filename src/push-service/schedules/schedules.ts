// Makes, reads, changes and deletes schedules, for the interface and for management. If it finds nothing it says so, and each
// controller refuses in its own form.
import type { Clock } from '../../platform/clock.js';
import type { Database } from '../../platform/database/database.js';
import type { Loops } from '../../platform/loops/loops.js';
import { LOCALTIME } from '../../push-contract/limits.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import type { ServiceFacts } from '../gateway/access.store.js';
import type { ScheduleView } from '../gateway/answers.js';
import { LOOPS } from '../loop-names.js';
import { UNKNOWN_ZONE } from '../wall-clock.js';
import { fireUntil } from './fire-schedules.js';
import type { NewSchedule } from './schedule-bodies.js';
import { deleteLocked, findSchedule, insertSchedule, updateSchedule } from './schedule.store.js';
import { keepSchedule, scheduleView } from './schedule-views.js';

/** The facts of its service that a schedule needs. */
export type ScheduleService = Pick<ServiceFacts, 'id' | 'offsets' | 'answerTimes'>;

/** With this bound every firing is made as READY. A firing that is too late becomes STALE when it is expanded. */
const NOT_STALE_YET = new Date(0);

export class Schedules {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly rules: ZoneRules,
    private readonly loops: Loops,
  ) {}

  /** What is wrong with the zone of a schedule, or undefined. Call it before the schedule is created or changed. */
  zoneFault({ scheduleTimeZone: zone }: Pick<NewSchedule, 'scheduleTimeZone'>): string | undefined {
    return zone === LOCALTIME || this.rules.has(zone) ? undefined : `${UNKNOWN_ZONE}, nor LOCALTIME`;
  }

  /** Undefined when the code is taken. */
  async create(service: ScheduleService, given: NewSchedule): Promise<ScheduleView | undefined> {
    const kept = keepSchedule(service, given, this.clock.now(), this.rules);
    const row = await insertSchedule(this.database, kept);
    if (row === undefined) return undefined;
    this.loops.wake(LOOPS.fire);
    return scheduleView(row, service);
  }

  async find(service: ScheduleService, code: string): Promise<ScheduleView | undefined> {
    const row = await findSchedule(this.database, service.id, code);
    return row && scheduleView(row, service);
  }

  /**
   * The new times count from now on. What the old times made due goes out, even in the minute of the change and before the fire
   * loop has come to it. Undefined when there is no such schedule.
   */
  async change(service: ScheduleService, given: NewSchedule): Promise<ScheduleView | undefined> {
    const row = await this.database.transaction(async (sql) => {
      const schedule = await findSchedule(sql, service.id, given.scheduleCode, 'for no key update');
      if (schedule === undefined) return undefined;
      // Read under the lock: the process that held the lock before may have fired until a later time.
      const now = this.clock.now();
      await fireUntil(sql, this.rules, schedule, { now, staleBefore: NOT_STALE_YET });
      return updateSchedule(sql, keepSchedule(service, given, now, this.rules));
    });
    if (row === undefined) return undefined;
    this.loops.wakeAll();
    return scheduleView(row, service);
  }

  /**
   * Ends the schedule and its messages: nothing more of them goes out. Firings that are SENDING end by themselves. It locks the
   * row of the schedule before it looks for messages, so it waits for messages that are being taken (INSERT_SCHEDULED). Returns
   * whether there was such a schedule.
   */
  delete(serviceId: string, code: string): Promise<boolean> {
    const now = new Date(this.clock.now());
    // Recording outcomes locks messages in another order. If two transactions deadlock, the database ends one, and the pool runs
    // it again.
    return this.database.transaction(async (sql) => {
      const schedule = await findSchedule(sql, serviceId, code, 'for update');
      if (schedule !== undefined) await deleteLocked(sql, schedule.id, now);
      return schedule !== undefined;
    });
  }
}
