// Moves campaigns and occurrences on as their sends move: to running at the first hand-off, to their end when every
// newest send is final or uncertain. Looks only at what triggers named as touched; never moves a send.
import type { Clock } from '../../platform/clock.js';
import type { Database } from '../../platform/database.js';
import { beginRunning, endCampaigns, endOccurrences, takeTouched } from '../store/close.store.js';

/** As it stands in campaign_history. */
const BY = 'close';

/** Touches taken in one round; a burst of one campaign's sends counts as one campaign. */
const TOUCHES = 2_000;

export class CloseFinished {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** One transaction. Returns how many campaigns it looked at, 0 when nothing moved or all of it is locked elsewhere. */
  async runOnce(): Promise<number> {
    return this.database.transaction(async (sql) => {
      const campaigns = await takeTouched(sql, TOUCHES);
      if (campaigns.length === 0) return 0;
      const now = this.clock.now();
      await beginRunning(sql, campaigns, now, BY);
      await endOccurrences(sql, campaigns, now);
      await endCampaigns(sql, campaigns, now, BY);
      return campaigns.length;
    });
  }
}
