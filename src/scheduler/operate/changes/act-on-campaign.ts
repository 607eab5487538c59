// Cancelling, pausing and resuming a campaign, or one occurrence of it, by hand: the same as an event does, with a command and an
// audit row.
import { z } from 'zod';
import type { Clock } from '../../../platform/clock.js';
import type { Database, Sql } from '../../../platform/database/database.js';
import { notFound, Problem } from '../../../platform/http/problem.js';
import type { ZoneRules } from '../../../zone-rules/zone-rules.js';
import { CAMPAIGN_ACTS, HAND_ACTS, type CampaignAct } from '../../decide/lifecycle/campaign-act.js';
import { isCancelable } from '../../decide/lifecycle/campaign-state.js';
import { judgeOccurrenceAct } from '../../decide/lifecycle/occurrence-act.js';
import { writeAudit } from '../../store/audit.store.js';
import { occurrenceFacts, type OccurrenceName } from '../../store/occurrence.store.js';
import {
  askAct,
  campaignToChange,
  campaignToPreview,
  insertCommand,
  type ActTarget,
} from '../../store/send/act.store.js';
import { ActPreview, previewAct } from './preview-act.store.js';

export interface ActOrder {
  readonly act: CampaignAct;
  /** Our id. */
  readonly campaign: string;
  /** undefined: all of the campaign. */
  readonly occurrence: string | undefined;
  readonly who: string;
  readonly holds: (serviceId: string) => boolean;
  readonly reason: string | undefined;
  /** Only counts what the act would do. */
  readonly preview: boolean;
}

export const ActTaken = z
  .object({
    id: z.uuid(),
    campaignId: z.string(),
    act: z.enum(HAND_ACTS),
    occurrence: z
      .string()
      .optional()
      .describe(
        'Only where the act was for one occurrence; state is then its own, null where it is not planned yet',
      ),
    state: z.string().nullable(),
    paused: z.boolean().describe('Whether all of the campaign is paused'),
    changed: z.boolean().describe('false: it stood so before, or this is a preview'),
    preview: ActPreview.nullable().describe(
      'Only with preview=true: what the act would do now; nothing is changed',
    ),
  })
  .meta({ id: 'ActTaken' });
export type ActTaken = z.output<typeof ActTaken>;

export class ActOnCampaign {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly rules: ZoneRules,
  ) {}

  /**
   * Throws 404 for an unknown or foreign campaign and for an occurrence that its rule does not yield, 409 CAMPAIGN_CLOSED or
   * OCCURRENCE_CLOSED where it has ended or is being cancelled, and 409 OCCURRENCE_TOO_FAR. To repeat an act is no error.
   */
  async run(order: ActOrder): Promise<ActTaken> {
    const { act, campaign, occurrence, holds } = order;
    return this.database.transaction(async (sql) => {
      const before = await (order.preview ? campaignToPreview : campaignToChange)(sql, campaign);
      if (before === undefined || !holds(before.serviceId)) throw notFound('campaign');
      const now = new Date(this.clock.now());
      const stateBefore =
        occurrence === undefined
          ? before.state
          : await this.#judge(sql, before, { campaign, occurrence, act }, now);
      const named = {
        id: campaign,
        campaignId: before.campaignId,
        act,
        ...(occurrence !== undefined && { occurrence }),
      };
      if (order.preview) {
        if (isClosed(before.state, act)) throw closed(before.state);
        const preview = await previewAct(sql, { campaign, occurrence, act, now });
        return { ...named, state: stateBefore, paused: before.paused, changed: false, preview };
      }
      const changed = await this.#act(sql, order, before, now);
      const after = await campaignToChange(sql, campaign);
      const state =
        occurrence === undefined ? (after?.state ?? before.state) : await stateOf(sql, campaign, occurrence);
      const paused = after?.paused ?? before.paused;
      await this.#audit(sql, order, { before, stateBefore, state, paused, now });
      return { ...named, state, paused, changed, preview: null };
    });
  }

  /** Returns whether it changed anything. */
  async #act(sql: Sql, order: ActOrder, { state }: ActTarget, now: Date): Promise<boolean> {
    const { act, campaign, occurrence, who: by, reason: detail } = order;
    const ask = {
      campaign,
      act,
      occurrence,
      now,
      by,
      code: `${CAMPAIGN_ACTS[act].past}_BY_OPERATOR`,
      detail,
    };
    const answer = await askAct(sql, ask);
    if (answer.kind === 'closed') throw closed(state);
    await insertCommand(sql, ask);
    return answer.kind === 'asked';
  }

  async #audit(
    sql: Sql,
    { act, campaign, occurrence, who, reason }: ActOrder,
    facts: {
      before: ActTarget;
      stateBefore: string | null;
      state: string | null;
      paused: boolean;
      now: Date;
    },
  ): Promise<void> {
    const { before, stateBefore, state, paused, now } = facts;
    const named = occurrence !== undefined && { occurrence };
    await writeAudit(sql, {
      at: now,
      who,
      action: `${occurrence === undefined ? 'campaign' : 'occurrence'}.${act}`,
      target: campaign,
      serviceId: before.serviceId,
      before: { ...named, state: stateBefore, paused: before.paused },
      after: { ...named, state, paused, ...(reason !== undefined && { reason }) },
    });
  }

  /** The occurrence's state before, null where it is not planned yet. Throws where the act is not for it. */
  async #judge(
    sql: Sql,
    { state }: ActTarget,
    { act, ...wanted }: OccurrenceName & { act: CampaignAct },
    now: Date,
  ): Promise<string | null> {
    const [facts] = await occurrenceFacts(sql, [wanted]);
    if (facts === undefined) throw notFound('occurrence');
    // For a campaign in another state askAct() decides.
    if (!isCancelable(state)) return facts.state;
    const judged = judgeOccurrenceAct(facts, wanted.occurrence, { now: now.getTime(), rules: this.rules });
    if (judged.kind === 'asked') return facts.state;
    if (judged.kind === 'canceled') {
      if (act === 'cancel') return facts.state;
      throw new Problem(409, 'OCCURRENCE_CLOSED', `the occurrence is ${facts.state ?? 'canceled'}`, {
        details: { state: facts.state },
      });
    }
    if (judged.code === 'UNKNOWN_OCCURRENCE') throw notFound('occurrence');
    throw new Problem(409, judged.code, judged.text, { details: { state: facts.state } });
  }
}

const isClosed = (state: string, act: CampaignAct): boolean =>
  !isCancelable(state) && !(act === 'cancel' && state === 'canceling');

const closed = (state: string): Problem =>
  new Problem(409, 'CAMPAIGN_CLOSED', `it is ${state} already`, { details: { state } });

/** The occurrence's state after the act. A cancelled one has no row where a cancel of the whole campaign came first. */
async function stateOf(sql: Sql, campaign: string, occurrence: string): Promise<string | null> {
  const [facts] = await occurrenceFacts(sql, [{ campaign, occurrence }]);
  return facts?.state ?? null;
}
