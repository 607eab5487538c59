// Cancelling a campaign by hand, or one occurrence of it: the same move that a canceled event makes, with its command
// and its audit row.
import { v7 } from 'uuid';
import { z } from 'zod';
import type { Clock } from '../../platform/clock.js';
import type { Database, Sql } from '../../platform/database/database.js';
import { notFound, Problem } from '../../platform/http/problem.js';
import { judgeOccurrenceCancel } from '../decide/lifecycle/cancel-occurrence.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import { writeAudit } from '../store/audit.store.js';
import { askCancel } from '../store/send/cancel.store.js';
import { campaignForCommand, insertCommand, type CommandTarget } from './command.store.js';
import { occurrenceFacts, type OccurrenceName } from '../store/occurrence.store.js';
import { CANCELABLE_CAMPAIGN } from '../decide/lifecycle/campaign-state.js';

export interface CancelOrder {
  /** Our id. */
  readonly campaign: string;
  /** One occurrence alone; undefined: all of the campaign. */
  readonly occurrence: string | undefined;
  readonly who: string;
  readonly holds: (serviceId: string) => boolean;
  readonly reason: string | undefined;
}

export const CancelTaken = z
  .object({
    id: z.uuid(),
    campaignId: z.string(),
    occurrence: z
      .string()
      .optional()
      .describe('Only where one occurrence was to be cancelled; state is then its own'),
    state: z.string(),
    changed: z.boolean().describe('false: it was asked for before'),
  })
  .meta({ id: 'CancelTaken' });
export type CancelTaken = z.output<typeof CancelTaken>;

export class CancelCampaign {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly rules: ZoneRules,
  ) {}

  /**
   * Throws 404 for an unknown or foreign campaign and for an occurrence its rule does not yield, 409 CAMPAIGN_CLOSED or
   * OCCURRENCE_CLOSED for one that has ended, 409 OCCURRENCE_TOO_FAR. Repeating it is no error.
   */
  async run({ campaign, occurrence, who, holds, reason }: CancelOrder): Promise<CancelTaken> {
    return this.database.transaction(async (sql) => {
      const before = await campaignForCommand(sql, campaign);
      if (before === undefined || !holds(before.serviceId)) throw notFound('campaign');
      const { serviceId, campaignId } = before;
      const now = new Date(this.clock.now());
      const standing =
        occurrence === undefined
          ? undefined
          : await this.#occurrence(sql, before, { campaign, occurrence }, now);
      const verdict = await askCancel(sql, {
        campaign,
        occurrence,
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
      const one = occurrence === undefined ? {} : { occurrence };
      const state = occurrence === undefined ? 'canceling' : await stateOf(sql, campaign, occurrence);
      await insertCommand(sql, {
        id: v7({ msecs: now.getTime() }),
        campaign,
        kind: 'cancel',
        occurrence,
        reason,
        now,
        by: who,
      });
      await writeAudit(sql, {
        at: now,
        who,
        action: occurrence === undefined ? 'campaign.cancel' : 'occurrence.cancel',
        target: campaign,
        serviceId,
        before: { ...one, state: occurrence === undefined ? before.state : standing },
        after: { ...one, state, ...(reason === undefined ? {} : { reason }) },
      });
      return { id: campaign, campaignId, ...one, state, changed };
    });
  }

  /** Its state before, null where it is not planned yet; throws where it cannot be cancelled. */
  async #occurrence(
    sql: Sql,
    { state }: CommandTarget,
    wanted: OccurrenceName,
    now: Date,
  ): Promise<string | null> {
    const [facts] = await occurrenceFacts(sql, [wanted]);
    if (facts === undefined) throw notFound('occurrence');
    // Of every other askCancel decides alone.
    if (!(CANCELABLE_CAMPAIGN as readonly string[]).includes(state)) return facts.state;
    const verdict = judgeOccurrenceCancel(facts, wanted.occurrence, {
      now: now.getTime(),
      rules: this.rules,
    });
    if (verdict.kind !== 'refused') return facts.state;
    if (verdict.code === 'UNKNOWN_OCCURRENCE') throw notFound('occurrence');
    throw new Problem(409, verdict.code, verdict.text, { details: { state: facts.state } });
  }
}

/** Of an occurrence after its cancel; one that its campaign's own cancel forestalled has no row. */
async function stateOf(sql: Sql, campaign: string, occurrence: string): Promise<string> {
  const [facts] = await occurrenceFacts(sql, [{ campaign, occurrence }]);
  return facts?.state ?? 'canceled';
}
