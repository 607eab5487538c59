// Approving or declining a campaign that awaits approval, with a command and an audit row. An approval releases what is held as a
// resume does; a decline is a cancel with the code DECLINED. That of a later revision puts it on its way into force, or rejects it alone.
import type { Clock } from '../../../platform/clock.js';
import type { Database, Sql } from '../../../platform/database/database.js';
import { notFound, Problem } from '../../../platform/http/problem.js';
import type { CallerIdentity } from '../../admin/auth/caller.js';
import { judgeApproval, type ApprovalGiven } from '../../decide/lifecycle/approval.js';
import { DECLINED, type ApprovalAct } from '../../decide/lifecycle/campaign-act.js';
import {
  approvalFacts,
  approveNext,
  declineNext,
  rejectDeclined,
  releaseApproved,
} from '../../store/approval.store.js';
import { writeAudit } from '../../store/audit.store.js';
import {
  askAct,
  campaignToChange,
  campaignToPreview,
  insertCommand,
  type ActTarget,
} from '../../store/send/act.store.js';
import type { ActTaken } from './act-on-campaign.js';
import { previewAct } from './preview-act.store.js';

export interface ApprovalOrder extends Pick<ApprovalGiven, 'saw'> {
  readonly act: ApprovalAct;
  /** Our id. */
  readonly campaign: string;
  readonly caller: CallerIdentity;
  readonly reason: string | undefined;
  /** Only counts what the answer would do. */
  readonly preview: boolean;
}

export class AnswerApproval {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Throws 404 for an unknown or foreign campaign, 403 ROLE_MISSING where it takes an operator, and 409 with a code of
   * APPROVAL_REFUSALS. To repeat an answer is no error.
   */
  async run(order: ApprovalOrder): Promise<ActTaken> {
    const { act, campaign, caller } = order;
    return this.database.transaction(async (sql) => {
      const before = await (order.preview ? campaignToPreview : campaignToChange)(sql, campaign);
      if (before === undefined || !caller.holds(before.serviceId)) throw notFound('campaign');
      const changes = await mayChange(sql, order);
      const now = new Date(this.clock.now());
      const named = { id: campaign, campaignId: before.campaignId, act };
      if (order.preview) {
        const preview = await previewAct(sql, { campaign, occurrence: undefined, act, now });
        return { ...named, state: before.state, paused: before.paused, changed: false, preview };
      }
      if (changes) await change(sql, order, now);
      const after = (await campaignToChange(sql, campaign)) ?? before;
      await audit(sql, order, before, after, now);
      return { ...named, state: after.state, paused: after.paused, changed: changes, preview: null };
    });
  }
}

/** Throws where it may not be answered so; false: it stands so already. */
async function mayChange(sql: Sql, { act, campaign, caller, saw }: ApprovalOrder): Promise<boolean> {
  const facts = await approvalFacts(sql, campaign);
  const given = { act, saw, tokenId: caller.tokenId, isOperator: caller.may(['operator']) };
  const judged = judgeApproval(facts, given);
  if (judged.kind === 'not-theirs') {
    const text =
      'this needs a token with the role operator: its publisher did not ask for the approval alone';
    throw new Problem(403, 'ROLE_MISSING', text);
  }
  if (judged.kind !== 'refused') return judged.kind === 'asked';
  const { state, revision } = facts;
  throw new Problem(409, judged.code, judged.text, { details: { state, revision } });
}

async function change(
  sql: Sql,
  { act, campaign, caller: { who }, reason }: ApprovalOrder,
  now: Date,
): Promise<void> {
  if (act === 'approve') {
    if (!(await approveNext(sql, campaign, now))) await releaseApproved(sql, campaign, now, who);
  } else if (!(await declineNext(sql, campaign, reason ?? '', now))) {
    await askAct(sql, { campaign, act: 'cancel', now, by: who, code: DECLINED, detail: reason });
    await rejectDeclined(sql, campaign, reason ?? '');
  }
  await insertCommand(sql, { campaign, act, now, by: who, detail: reason });
}

// oxlint-disable-next-line max-params -- the rows before and after, and when
async function audit(
  sql: Sql,
  { act, campaign, caller: { who }, reason, saw }: ApprovalOrder,
  before: ActTarget,
  after: ActTarget,
  now: Date,
): Promise<void> {
  await writeAudit(sql, {
    at: now,
    who,
    action: `campaign.${act}`,
    target: campaign,
    serviceId: before.serviceId,
    before: { state: before.state, paused: before.paused },
    after: { state: after.state, paused: after.paused, ...saw, ...(reason !== undefined && { reason }) },
  });
}
