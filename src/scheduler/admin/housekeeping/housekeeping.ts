// Regular work: makes partitions for the days ahead, seals secrets under the current master key, ends reports that take too long, and
// deletes rows past their time from tables that are not partitioned by day (retention.ts removes whole days from the others). Safe in
// any number of processes at once; each round is bounded.
import type { Clock } from '../../../platform/clock.js';
import type { Sql } from '../../../platform/database/database.js';
import { reseal } from '../../../platform/secrets/reseal.js';
import type { Sealer } from '../../../platform/secrets/sealed.js';
import { deleteOldKeys } from './housekeeping.store.js';
import { endLongReports } from './report-watch.store.js';
import { ensurePartitions } from '../../../platform/database/day-partitions.js';
import { deleteOldNames } from '../../store/gateway-name.store.js';
import { deleteOldOffsets } from '../../store/registered-offset.store.js';
import { deleteOldTrouble } from '../../push-client/blocks/project-trouble.store.js';
import { deleteOldBreakdowns } from '../../store/rollup/breakdown.store.js';
import { deleteOldSets } from '../../store/send/send-set.store.js';
import { SEALED } from '../../store/project.store.js';
import { deleteOldStandingCounts } from '../../store/read/standing.store.js';

/**
 * How long the key of an event, an idempotent answer, an unwritten answer and a set of sends are kept
 * (campaign-events.md, "Transport and envelope").
 */
const KEPT_MS = 30 * 86_400_000;
/** How long daily counts of standing messages are kept: more than the newest 366 days that are shown. */
const COUNTS_KEPT_MS = 400 * 86_400_000;
/** The most rows of one delete: short locks, little WAL at once. */
const BATCH = 5_000;

export class Housekeeping {
  constructor(
    private readonly sql: Sql,
    private readonly sealer: Sealer,
    private readonly clock: Clock,
    /** How long a gateway's answers about users, channels and schedules are kept. */
    private readonly offsetCacheMs: number,
  ) {}

  /**
   * One round; returns how many rows it deleted: the loop runs again while there are more. Without `mayDelete` it deletes nothing
   * by age.
   */
  async runOnce(mayDelete = true): Promise<number> {
    const now = new Date(this.clock.now());
    await ensurePartitions(this.sql, now);
    await reseal(this.sql, this.sealer, SEALED);
    await deleteOldTrouble(this.sql);
    await endLongReports(this.sql);
    if (!mayDelete) return 0;
    const kept = new Date(now.getTime() - KEPT_MS);
    const keys = await deleteOldKeys(this.sql, kept, BATCH);
    const sets = await deleteOldSets(this.sql, kept, BATCH);
    const counts = await deleteOldStandingCounts(this.sql, new Date(now.getTime() - COUNTS_KEPT_MS), BATCH);
    const asked = new Date(now.getTime() - this.offsetCacheMs);
    const offsets = await deleteOldOffsets(this.sql, asked, BATCH);
    const names = await deleteOldNames(this.sql, asked, BATCH);
    const breakdowns = await deleteOldBreakdowns(this.sql, BATCH);
    return keys + sets + counts + offsets + names + breakdowns;
  }
}
