// Cancelling a campaign by hand: the same move that a canceled event makes, with its command and its audit row.
import { v7 } from 'uuid';
import type { Clock } from '../../platform/clock.js';
import type { Database } from '../../platform/database.js';
import { notFound, Problem } from '../../platform/problem.js';
import { writeAudit } from '../store/audit.store.js';
import { askCancel } from '../store/cancel.store.js';
import { campaignForCommand, insertCommand } from '../store/command.store.js';

export interface CancelOrder {
  /** Our id. */
  readonly campaign: string;
  readonly who: string;
  readonly holds: (serviceId: string) => boolean;
  readonly reason: string | undefined;
}

export interface CancelTaken {
  readonly id: string;
  readonly campaignId: string;
  readonly state: string;
  /** false: a cancel was under way already. */
  readonly changed: boolean;
}

export class CancelCampaign {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Throws 404 for an unknown or foreign campaign, 409 CAMPAIGN_CLOSED for one that has ended. Repeating it is no error. */
  async run({ campaign, who, holds, reason }: CancelOrder): Promise<CancelTaken> {
    return this.database.transaction(async (sql) => {
      const before = await campaignForCommand(sql, campaign);
      if (before === undefined || !holds(before.serviceId)) throw notFound('campaign');
      const { serviceId, campaignId } = before;
      const now = new Date(this.clock.now());
      const verdict = await askCancel(sql, {
        campaign,
        now,
        by: who,
        code: 'CANCELED_BY_OPERATOR',
        ...(reason === undefined ? {} : { detail: reason }),
      });
      if (verdict.kind === 'closed') {
        throw new Problem(409, 'CAMPAIGN_CLOSED', `it is ${before.state} already`, {
          details: { state: before.state },
        });
      }
      const changed = verdict.kind === 'asked';
      await insertCommand(sql, {
        id: v7({ msecs: now.getTime() }),
        campaign,
        kind: 'cancel',
        reason,
        now,
        by: who,
      });
      await writeAudit(sql, {
        at: now,
        who,
        action: 'campaign.cancel',
        target: campaign,
        serviceId,
        before: { state: before.state },
        after: { state: 'canceling', ...(reason === undefined ? {} : { reason }) },
      });
      return { id: campaign, campaignId, state: 'canceling', changed };
    });
  }
}
