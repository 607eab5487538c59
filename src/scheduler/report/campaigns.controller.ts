// GET /v1/campaigns and what hangs below one: its sends, history and stored plan. A publisher sees the campaigns of the
// token's serviceIds, and a foreign one answers like an unknown one. Never changes anything.
import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import type { Clock } from '../../platform/clock.js';
import { Database } from '../../platform/database/database.js';
import { listOf, Operation } from '../../platform/http/operation.js';
import { idPlace, pageOf, pageQuery, pageSchema, readCursor, type Page } from '../../platform/http/paging.js';
import { storableText } from '../../platform/http/storable-text.js';
import { CLOCK } from '../../platform/tokens.js';
import { Caller, type CallerIdentity } from '../admin/auth/caller.js';
import { Roles } from '../admin/auth/roles.js';
import { SCHEDULER_CONFIG, type SchedulerConfig } from '../scheduler.config.js';
import {
  Attention,
  attentionStatesOf,
  campaignById,
  campaignHistory,
  campaignPage,
  CampaignRow,
  cellPage,
  HistoryRow,
  OccurrenceRow,
  occurrencesOf,
  RevisionRow,
  revisionsOf,
  RevisionState,
  SendStates,
  sendStatesOf,
  storedPlan,
} from '../store/send/read/campaign.store.js';
import { cancelProgress } from '../store/send/cancel.store.js';
import { CellRow, PlanProblemView, PlanView } from '../store/send/read/plan-view.js';
import { sendPage, SendView } from '../store/send/read/send-view.store.js';
import { sendStates } from './state-filter.js';
import { WaitingFor, waitingFor } from './waiting-for.js';
import { attentionOf } from '../decide/lifecycle/attention.js';
import { CAMPAIGN_STATES } from '../decide/lifecycle/campaign-state.js';

const listQuery = z.object({
  ...pageQuery,
  serviceId: storableText(128).optional(),
  campaignId: storableText(128).optional(),
  state: z.enum(CAMPAIGN_STATES).optional(),
});
const sendsQuery = z.object({
  ...pageQuery,
  occurrence: storableText(64).optional(),
  state: sendStates.optional(),
  /** Only the newest send of every chunk, the one that counts. */
  newest: z.enum(['true', 'false']).default('false'),
});
const onlyPage = z.object(pageQuery);
const campaignIdParam = z.uuid();
const sequencePlace = z.tuple([z.string().regex(/^\d{1,9}$/)]);
const cellPlace = z.tuple([storableText(64), storableText(200)]);

/** Occurrences shown with a campaign; the plan pages through all. */
const OCCURRENCES_SHOWN = 100;

const CancelProgress = z
  .object({
    moved: z.int().min(0).describe('Sends taken back so far, or on their way to it'),
    left: z.int().min(0).describe('Sends not looked at yet; none of them is handed off any more'),
  })
  .describe('How far a cancel of the campaign or of its occurrences has come; null where none was asked for');

const Campaign = CampaignRow.extend({
  attention: Attention.nullable().describe(
    'Why somebody should look at it: it was rejected, nobody got it, or sends did not go out; null: nobody has to',
  ),
}).meta({ id: 'Campaign' });
type Campaign = z.output<typeof Campaign>;
const CampaignPage = pageSchema(Campaign);
const SendPage = pageSchema(SendView);
const HistoryPage = pageSchema(HistoryRow);
const WholeCampaign = Campaign.extend({
  waitingFor: WaitingFor.nullable(),
  cancel: CancelProgress.nullable(),
  revisions: listOf(RevisionRow),
  occurrences: listOf(OccurrenceRow).describe(`The latest ${OCCURRENCES_SHOWN}; the plan pages through all`),
  sends: SendStates,
}).meta({ id: 'CampaignWithRevisions' });
const StoredPlan = z
  .object({
    campaign: z.uuid(),
    campaignId: z.string(),
    revision: z.int().min(1),
    state: RevisionState.nullable(),
    refusal: PlanProblemView.nullable().describe('Why planning refused it'),
    ...PlanView.partial().shape,
    ...pageSchema(CellRow).shape,
  })
  .meta({ id: 'StoredPlan' });

@Controller('v1/campaigns')
@Roles('publisher', 'analyst')
export class CampaignsController {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SCHEDULER_CONFIG) private readonly config: SchedulerConfig,
  ) {}

  @Operation(CampaignPage, { summary: 'Campaigns, newest first' })
  @Get()
  async list(
    @Query({ schema: listQuery }) query: z.output<typeof listQuery>,
    @Caller() caller: CallerIdentity,
  ): Promise<Page<Campaign>> {
    const [beforeId] = readCursor(query.cursor, idPlace) ?? [];
    const rows = await campaignPage(
      this.database,
      { ...query, serviceIds: caller.serviceFilter },
      { beforeId, limit: query.limit + 1 },
    );
    const bad = await attentionStatesOf(this.database, rows);
    const shown = rows.map((row) => ({ ...row, attention: attentionOf(row, bad.get(row.id)) }));
    return pageOf(shown, query.limit, placeOfId);
  }

  @Operation(WholeCampaign, {
    summary: 'A campaign with its revisions, its latest occurrences and its newest sends by state',
  })
  @Get(':id')
  async one(
    @Param('id', { schema: campaignIdParam }) id: string,
    @Caller() caller: CallerIdentity,
  ): Promise<z.output<typeof WholeCampaign>> {
    const campaign = await this.#own(id, caller);
    const at = { now: this.clock.now(), offsetCacheMs: this.config.offsetCacheMs };
    const [revisions, occurrences, sends, waiting, cancel] = await Promise.all([
      revisionsOf(this.database, id),
      occurrencesOf(this.database, id, OCCURRENCES_SHOWN),
      sendStatesOf(this.database, id),
      waitingFor(this.database, campaign, at),
      cancelProgress(this.database, id),
    ]);
    const attention = attentionOf(campaign, sends);
    return {
      ...campaign,
      attention,
      waitingFor: waiting,
      cancel: cancel ?? null,
      revisions,
      occurrences,
      sends,
    };
  }

  @Operation(SendPage, { summary: 'Sends of a campaign' })
  @Get(':id/sends')
  async sends(
    @Param('id', { schema: campaignIdParam }) id: string,
    @Query({ schema: sendsQuery }) query: z.output<typeof sendsQuery>,
    @Caller() caller: CallerIdentity,
  ): Promise<Page<SendView>> {
    const campaign = await this.#own(id, caller);
    const [afterId] = readCursor(query.cursor, idPlace) ?? [];
    const rows = await sendPage(
      this.database,
      {
        serviceIds: null,
        campaign: campaign.id,
        occurrence: query.occurrence,
        states: query.state,
        newestOnly: query.newest === 'true',
      },
      { afterId, limit: query.limit + 1 },
    );
    return pageOf(rows, query.limit, placeOfId);
  }

  @Operation(HistoryPage, { summary: 'Every change of a campaign' })
  @Get(':id/history')
  async history(
    @Param('id', { schema: campaignIdParam }) id: string,
    @Query({ schema: onlyPage }) query: z.output<typeof onlyPage>,
    @Caller() caller: CallerIdentity,
  ): Promise<Page<HistoryRow>> {
    const campaign = await this.#own(id, caller);
    const [after = '0'] = readCursor(query.cursor, sequencePlace) ?? [];
    const page = { after: Number(after), limit: query.limit + 1 };
    const rows = await campaignHistory(this.database, campaign.id, page);
    return pageOf(rows, query.limit, (row) => [String(row.sequence)]);
  }

  @Operation(StoredPlan, { summary: 'Its plan: cells by pages, each with the reason for every decision' })
  @Get(':id/plan')
  async plan(
    @Param('id', { schema: campaignIdParam }) id: string,
    @Query({ schema: onlyPage }) query: z.output<typeof onlyPage>,
    @Caller() caller: CallerIdentity,
  ): Promise<z.output<typeof StoredPlan>> {
    const campaign = await this.#own(id, caller);
    const after = readCursor(query.cursor, cellPlace);
    const plan = await storedPlan(this.database, campaign.id);
    const cells = await cellPage(this.database, campaign.id, { after, limit: query.limit + 1 });
    const page = pageOf(cells, query.limit, (cell) => [cell.occurrence, cell.cell]);
    return {
      campaign: campaign.id,
      campaignId: campaign.campaignId,
      revision: campaign.revision,
      state: plan?.state ?? null,
      refusal: plan?.refusal ?? null,
      ...plan?.plan,
      ...page,
    };
  }

  async #own(id: string, caller: CallerIdentity): Promise<CampaignRow> {
    return caller.own(await campaignById(this.database, id), 'campaign');
  }
}

function placeOfId(row: { readonly id: string }): readonly string[] {
  return [row.id];
}
