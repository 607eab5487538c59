// Cancelling a campaign, or one occurrence of it, by hand: the same as a canceled event does, with a command and an audit row.
import { z } from 'zod';
import type { Clock } from '../../platform/clock.js';
import type { Database, Sql } from '../../platform/database/database.js';
import { notFound, Problem } from '../../platform/http/problem.js';
import { judgeOccurrenceCancel } from '../decide/lifecycle/cancel-occurrence.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import { writeAudit } from '../store/audit.store.js';
import {
  askCancel,
  campaignToCancel,
  insertCancelCommand,
  type CancelTarget,
} from '../store/send/cancel.store.js';
import { occurrenceFacts, type OccurrenceName } from '../store/occurrence.store.js';
import { CANCELABLE_CAMPAIGN } from '../decide/lifecycle/campaign-state.js';

export interface CancelOrder {
  /** Our id. */
  readonly campaign: string;
  /** undefined: all of the campaign. */
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
      .describe('Only where one occurrence was to be cancelled; state is then the state of that occurrence'),
    state: z.string(),
    changed: z.boolean().describe('false: the cancel had been asked for before'),
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
   * Throws 404 for an unknown or foreign campaign and for an occurrence that its rule does not yield, 409 CAMPAIGN_CLOSED or
   * OCCURRENCE_CLOSED where it has ended, and 409 OCCURRENCE_TOO_FAR. A repeat is no error.
   */
  async run({ campaign, occurrence, who, holds, reason }: CancelOrder): Promise<CancelTaken> {
    return this.database.transaction(async (sql) => {
      const before = await campaignToCancel(sql, campaign);
      if (before === undefined || !holds(before.serviceId)) throw notFound('campaign');
      const { serviceId, campaignId } = before;
      const now = new Date(this.clock.now());
      const stateBefore =
        occurrence === undefined
          ? before.state
          : await this.#judge(sql, before, { campaign, occurrence }, now);
      const ask = { campaign, occurrence, now, by: who, code: 'CANCELED_BY_OPERATOR', detail: reason };
      const answer = await askCancel(sql, ask);
      if (answer.kind === 'closed') {
        throw new Problem(409, 'CAMPAIGN_CLOSED', `it is ${before.state} already`, {
          details: { state: before.state },
        });
      }
      const changed = answer.kind === 'asked';
      const named = occurrence !== undefined && { occurrence };
      const state = occurrence === undefined ? 'canceling' : await stateOf(sql, campaign, occurrence);
      await insertCancelCommand(sql, ask);
      await writeAudit(sql, {
        at: now,
        who,
        action: occurrence === undefined ? 'campaign.cancel' : 'occurrence.cancel',
        target: campaign,
        serviceId,
        before: { ...named, state: stateBefore },
        after: { ...named, state, ...(reason !== undefined && { reason }) },
      });
      return { id: campaign, campaignId, ...named, state, changed };
    });
  }

  /** The occurrence's state before, null where it is not planned yet. Throws where it cannot be cancelled. */
  async #judge(sql: Sql, { state }: CancelTarget, wanted: OccurrenceName, now: Date): Promise<string | null> {
    const [facts] = await occurrenceFacts(sql, [wanted]);
    if (facts === undefined) throw notFound('occurrence');
    // For a campaign in another state askCancel() decides.
    if (!(CANCELABLE_CAMPAIGN as readonly string[]).includes(state)) return facts.state;
    const judged = judgeOccurrenceCancel(facts, wanted.occurrence, {
      now: now.getTime(),
      rules: this.rules,
    });
    if (judged.kind !== 'refused') return facts.state;
    if (judged.code === 'UNKNOWN_OCCURRENCE') throw notFound('occurrence');
    throw new Problem(409, judged.code, judged.text, { details: { state: facts.state } });
  }
}

/** The occurrence's state after its cancel. It has no row where a cancel of the whole campaign came first. */
async function stateOf(sql: Sql, campaign: string, occurrence: string): Promise<string> {
  const [facts] = await occurrenceFacts(sql, [{ campaign, occurrence }]);
  return facts?.state ?? 'canceled';
}
