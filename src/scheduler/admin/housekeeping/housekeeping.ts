// Regular work: makes partitions for the days ahead, seals secrets under the current master key, ends reports that take too long, and
// deletes rows past their time from tables that are not partitioned by day (retention.ts removes whole days from the others). Safe in
// any number of processes at once; each round is bounded.
import type { Clock } from '../../../platform/clock.js';
import type { Sql } from '../../../platform/database/database.js';
import { reseal } from '../../../platform/secrets/reseal.js';
import type { Sealer } from '../../../platform/secrets/sealed.js';
import { deleteOldUnwritten } from './housekeeping.store.js';
import { endLongReports } from './report-watch.store.js';
import { ensurePartitions } from '../../../platform/database/day-partitions.js';
import { deleteAged, keptSince } from '../../../platform/kept.js';
import { KEPT } from '../../store/kept.js';
import { deleteOldTrouble } from '../../push-client/blocks/project-trouble.store.js';
import { deleteGoneZones } from '../../store/recipient-zone.store.js';
import { deleteOldBreakdowns } from '../../store/rollup/breakdown.store.js';
import { deleteOldSets } from '../../store/send/send-set.store.js';
import { SEALED } from '../../store/sealed-columns.js';
import { deleteOldStandingCounts } from '../../store/read/standing.store.js';

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
    const now = this.clock.now();
    await ensurePartitions(this.sql, new Date(now));
    await reseal(this.sql, this.sealer, SEALED);
    await deleteOldTrouble(this.sql);
    await endLongReports(this.sql);
    if (!mayDelete) return 0;
    const since = (table: string): Date => keptSince(KEPT, table, now);
    const settings = { OFFSET_CACHE_HOURS: this.offsetCacheMs };
    const aged = await deleteAged(this.sql, KEPT, { now, settings, batch: BATCH });
    const unwritten = await deleteOldUnwritten(this.sql, since('unwritten_answer'), BATCH);
    const sets = await deleteOldSets(this.sql, since('send_set'), BATCH);
    const counts = await deleteOldStandingCounts(this.sql, since('standing_count'), BATCH);
    const breakdowns = await deleteOldBreakdowns(this.sql, BATCH);
    const zones = await deleteGoneZones(this.sql, since('recipient_zone'), BATCH);
    return aged + unwritten + sets + counts + breakdowns + zones;
  }
}
