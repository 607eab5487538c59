// Makes the next revision of a campaign from a JSON merge patch (RFC 7396) of its event's data: the event that a publisher would send,
// made here by the token's name, goes the way of all events. Nothing is kept of a patch that is refused.
import { isDeepStrictEqual } from 'node:util';
import { v7 } from 'uuid';
import { z } from 'zod';
import type { Clock } from '../../../platform/clock.js';
import type { Sql } from '../../../platform/database/database.js';
import { notFound, Problem, type FoundProblem } from '../../../platform/http/problem.js';
import type { CallerIdentity } from '../../admin/auth/caller.js';
import { isCancelable } from '../../decide/lifecycle/campaign-state.js';
import type { DraftReader } from '../../decide/plan/plan-ports.js';
import { writeAudit } from '../../store/audit.store.js';
import { PATCH_SOURCE } from '../../store/revision/mark-replanned.store.js';
import { RevisionPreview, type RevisionPreviewer } from '../../store/send/revision-preview.store.js';
import type { AcceptEvents } from '../accept-events.js';
import { EVENT_TYPES } from '../parse/campaign-event.js';
import type { RawEvent } from '../parse/raw-event.js';
import type { Reason } from '../parse/reason.js';
import type { Verdict } from '../write-batch.js';
import { dataOfCampaign } from './campaign-data.js';
import { mergePatch } from './merge-patch.js';
import { madeRevision, patchedRevision, type PatchedRevision } from './patched-revision.store.js';

export const CampaignPatched = z
  .object({
    id: z.uuid(),
    campaignId: z.string(),
    patched: z.int().min(1).describe('The revision that the patch was applied to'),
    revision: z
      .int()
      .min(1)
      .nullable()
      .describe(
        'The revision that it made, which is planned next; null: none, because nothing changes, or this is a preview',
      ),
    changed: z.boolean().describe('false: the campaign says so already, or this is a preview'),
    preview: RevisionPreview.nullable().describe(
      'Only with preview=true: what the revision would do now; nothing is changed',
    ),
  })
  .meta({ id: 'CampaignPatched' });
export type CampaignPatched = z.output<typeof CampaignPatched>;

interface PatchOrder {
  /** Our id. */
  readonly campaign: string;
  readonly patch: Readonly<Record<string, unknown>>;
  /** The revision that the caller saw; left out: the newest is patched, whichever it is. */
  readonly saw: number | undefined;
  readonly caller: CallerIdentity;
}

interface PatchDeps {
  readonly database: Sql;
  readonly intake: AcceptEvents;
  readonly drafts: DraftReader;
  readonly previews: RevisionPreviewer;
  readonly clock: Clock;
}

/** How often a patch is applied anew because another act came in between. */
const TRIES = 3;

/** Another act came between the look and the lock. */
class OutdatedError extends Error {
  readonly code = 'REVISION_CHANGED';
}

interface Merged {
  readonly before: PatchedRevision;
  readonly data: object;
  readonly changes: boolean;
  readonly listVersion: string | undefined;
}

export class PatchCampaign {
  constructor(private readonly deps: PatchDeps) {}

  /**
   * Throws 404 for an unknown or foreign campaign; 409 CAMPAIGN_CLOSED, and REVISION_CHANGED where the newest revision is not the one
   * that the caller saw; 422 EVENT_REJECTED with all that is wrong with the data as patched.
   */
  async run(order: PatchOrder): Promise<CampaignPatched> {
    for (let left = TRIES; ; left -= 1) {
      const merged = await this.#merge(order);
      if (!merged.changes) return answerOf(order, merged, null);
      try {
        return answerOf(order, merged, await this.#take(order, merged));
      } catch (error) {
        if (!(error instanceof OutdatedError)) throw error;
        if (left <= 1)
          throw revisionChanged('other revisions came meanwhile: look at the newest, and patch it again');
      }
    }
  }

  /** What the revision would do; the same refusals. Changes nothing, and locks nothing. */
  async preview(order: PatchOrder): Promise<CampaignPatched> {
    const merged = await this.#merge(order);
    const { before, data, listVersion } = merged;
    const { drafts, previews } = this.deps;
    const { tokenId, holds } = order.caller;
    const draft = await drafts.read(Buffer.from(JSON.stringify(data)), { tokenId, holds, listVersion });
    if (draft.kind === 'unknown-service') throw notFound('push project');
    if (draft.kind === 'rejected') throw rejected(draft.reasons);
    const meant = { ...draft.campaign, campaignId: before.campaignId };
    const preview = await previews.preview(order.campaign, meant);
    if (preview === undefined) throw closed(before.state);
    return { ...answerOf(order, merged, null), preview };
  }

  async #merge({ campaign, patch, saw, caller }: PatchOrder): Promise<Merged> {
    const before = caller.own(await patchedRevision(this.deps.database, campaign), 'campaign');
    if (!isCancelable(before.state)) throw closed(before.state);
    if (saw !== undefined && saw !== before.revision)
      throw revisionChanged(
        `its newest revision is ${before.revision}, not ${saw}: look at it, and patch it again`,
      );
    const { audience } = before.data;
    const data = dataOfCampaign(before.data);
    const merged = mergePatch(data, patch) as object;
    return {
      before,
      data: merged,
      changes: !isDeepStrictEqual(merged, JSON.parse(JSON.stringify(data))),
      listVersion:
        'audience' in patch || audience === null || !('list' in audience) ? undefined : audience.version,
    };
  }

  /** Returns the number of the revision. */
  async #take(
    { campaign, caller, patch }: PatchOrder,
    { before, data, listVersion }: Merged,
  ): Promise<number> {
    const { intake, clock } = this.deps;
    const now = clock.now();
    const event: RawEvent = {
      via: 'http',
      headers: { 'content-type': 'application/cloudevents+json' },
      body: Buffer.from(
        JSON.stringify({
          specversion: '1.0',
          id: v7({ msecs: now }),
          source: PATCH_SOURCE,
          type: EVENT_TYPES.scheduled,
          subject: before.campaignId,
          // An act by hand has the time of its arrival; a publisher's clock may be some seconds ahead of ours.
          time: new Date(Math.max(now, before.newestTime + 1)).toISOString(),
          datacontenttype: 'application/json',
          data,
        }),
      ),
      // A patch is of no source, so no token is too narrow for it.
      caller: { tokenId: caller.tokenId, holds: caller.holds, takes: () => true },
      listVersion,
    };
    let revision = 0;
    const after = async (sql: Sql, [verdict]: readonly Verdict[]): Promise<void> => {
      if (verdict?.kind === 'rejected') throw refusalOf(verdict.reasons, before.state);
      if (verdict?.kind !== 'accepted') throw new Error(`a patch was ${verdict?.kind ?? 'not judged'}`);
      const made = await madeRevision(sql, campaign, verdict.event, before);
      if (made.outdated) throw new OutdatedError('another revision was taken');
      revision = made.revision;
      await writeAudit(sql, {
        at: new Date(now),
        who: caller.who,
        action: 'campaign.revise',
        target: campaign,
        serviceId: before.serviceId,
        before: { state: before.state, revision: before.revision },
        after: { revision, members: Object.keys(patch) },
      });
    };
    await intake.inTurn(caller.owner, () =>
      intake.accept([event], { before: () => Promise.resolve(), after }),
    );
    return revision;
  }
}

function answerOf({ campaign }: PatchOrder, { before }: Merged, revision: number | null): CampaignPatched {
  const { campaignId, revision: patched } = before;
  return { id: campaign, campaignId, patched, revision, changed: revision !== null, preview: null };
}

function refusalOf(reasons: readonly Reason[], state: string): Error {
  const codes = new Set(reasons.map(({ code }) => code));
  if (codes.has('SUPERSEDED')) return new OutdatedError('a newer event was taken');
  return codes.has('CAMPAIGN_CLOSED') ? closed(state) : rejected(reasons);
}

/** Pointers into the event become pointers into its data, which the caller patches. */
function rejected(reasons: readonly FoundProblem[]): Problem {
  const problems = reasons.map((one) => ({ ...one, pointer: one.pointer.replace(/^\/data(?=\/|$)/, '') }));
  const [first] = problems;
  const why = first === undefined ? '' : `: ${first.pointer} ${first.text}`;
  return new Problem(422, 'EVENT_REJECTED', `the campaign would not be taken so${why}`, { problems });
}

const closed = (state: string): Problem =>
  new Problem(409, 'CAMPAIGN_CLOSED', `it is ${state} already: use another campaignId`, {
    details: { state },
  });

const revisionChanged = (text: string): Problem => new Problem(409, 'REVISION_CHANGED', text);
