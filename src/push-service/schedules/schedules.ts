// Makes, reads, changes and deletes schedules, for the interface and for management. Finding nothing is a result; each
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

/** What a schedule needs to know of its service. */
export type ScheduleService = Pick<ServiceFacts, 'id' | 'offsets' | 'answerTimes'>;

/** Every firing is made; one that is too late to go out ends STALE when it is expanded. */
const NOT_STALE_YET = new Date(0);

export class Schedules {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly rules: ZoneRules,
    private readonly loops: Loops,
  ) {}

  /** What is wrong with the zone of a schedule, or undefined. Asked before it is created or changed. */
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
   * The new times count from now on. What the old ones made due goes out, also at the very minute of the change and when the
   * fire loop has not come to it yet. Undefined when there is no such schedule.
   */
  async change(service: ScheduleService, given: NewSchedule): Promise<ScheduleView | undefined> {
    const row = await this.database.transaction(async (sql) => {
      const schedule = await findSchedule(sql, service.id, given.scheduleCode, 'for no key update');
      if (schedule === undefined) return undefined;
      // Read under the lock: the process that held it before may have fired until later.
      const now = this.clock.now();
      await fireUntil(sql, this.rules, schedule, { now, staleBefore: NOT_STALE_YET });
      return updateSchedule(sql, keepSchedule(service, given, now, this.rules));
    });
    if (row === undefined) return undefined;
    this.loops.wakeAll();
    return scheduleView(row, service);
  }

  /**
   * Ends the schedule and its messages: nothing more of them goes out; what is on its way already ends on its own. Its row is
   * locked before its messages are looked for, and so waits for those that are being taken under it (INSERT_SCHEDULED).
   * Returns whether there was one.
   */
  delete(serviceId: string, code: string): Promise<boolean> {
    const now = new Date(this.clock.now());
    // Outcomes are recorded in an order of their own: the database may end one of two transactions that meet in two messages,
    // and the pool does it again.
    return this.database.transaction(async (sql) => {
      const schedule = await findSchedule(sql, serviceId, code, 'for update');
      if (schedule !== undefined) await deleteLocked(sql, schedule.id, now);
      return schedule !== undefined;
    });
  }
}
