// GET /v1/campaigns and what hangs below one: its sends, history and stored plan. A publisher sees the campaigns of the
// token's serviceIds, and a foreign one answers like an unknown one. Never changes anything.
import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { z } from 'zod';
import type { Clock } from '../../platform/clock.js';
import { Database } from '../../platform/database/database.js';
import { idPlace, pageOf, pageQuery, readCursor, type Page } from '../../platform/http/paging.js';
import { storableText } from '../../platform/http/storable-text.js';
import { CLOCK } from '../../platform/tokens.js';
import { Caller, type CallerIdentity } from '../admin/auth/caller.js';
import { Roles } from '../admin/auth/roles.js';
import { SCHEDULER_CONFIG, type SchedulerConfig } from '../scheduler.config.js';
import {
  campaignById,
  campaignHistory,
  campaignPage,
  cellPage,
  occurrencesOf,
  revisionsOf,
  sendStatesOf,
  storedPlan,
  type CampaignRow,
} from '../store/send/read/campaign.store.js';
import { cancelProgress } from '../store/send/cancel.store.js';
import { sendPage, type SendView } from '../store/send/read/send-view.store.js';
import { sendStates } from './state-filter.js';
import { WaitingFor, waitingFor } from './waiting-for.js';
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

/** What a reader cannot guess from its name alone. */
const WAITING = {
  description: 'The campaign, its revisions, its latest occurrences and its newest sends by state',
  schema: {
    type: 'object',
    properties: {
      waitingFor: z.toJSONSchema(WaitingFor.nullable()) as object,
      cancel: z.toJSONSchema(CancelProgress.nullable()) as object,
    },
    required: ['waitingFor', 'cancel'],
    additionalProperties: true,
  },
};

@Controller('v1/campaigns')
@Roles('publisher', 'analyst')
export class CampaignsController {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SCHEDULER_CONFIG) private readonly config: SchedulerConfig,
  ) {}

  @Get()
  async list(
    @Query({ schema: listQuery }) query: z.output<typeof listQuery>,
    @Caller() caller: CallerIdentity,
  ): Promise<Page<CampaignRow>> {
    const [beforeId] = readCursor(query.cursor, idPlace) ?? [];
    const rows = await campaignPage(
      this.database,
      { ...query, serviceIds: caller.serviceFilter },
      { beforeId, limit: query.limit + 1 },
    );
    return pageOf(rows, query.limit, placeOfId);
  }

  @Get(':id')
  @ApiOkResponse(WAITING)
  async one(
    @Param('id', { schema: campaignIdParam }) id: string,
    @Caller() caller: CallerIdentity,
  ): Promise<object> {
    const campaign = await this.#own(id, caller);
    const at = { now: this.clock.now(), offsetCacheMs: this.config.offsetCacheMs };
    const [revisions, occurrences, sends, waiting, cancel] = await Promise.all([
      revisionsOf(this.database, id),
      occurrencesOf(this.database, id, OCCURRENCES_SHOWN),
      sendStatesOf(this.database, id),
      waitingFor(this.database, campaign, at),
      cancelProgress(this.database, id),
    ]);
    return { ...campaign, waitingFor: waiting, cancel: cancel ?? null, revisions, occurrences, sends };
  }

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

  @Get(':id/history')
  async history(
    @Param('id', { schema: campaignIdParam }) id: string,
    @Query({ schema: onlyPage }) query: z.output<typeof onlyPage>,
    @Caller() caller: CallerIdentity,
  ): Promise<Page<object>> {
    const campaign = await this.#own(id, caller);
    const [after = '0'] = readCursor(query.cursor, sequencePlace) ?? [];
    const page = { after: Number(after), limit: query.limit + 1 };
    const rows = await campaignHistory(this.database, campaign.id, page);
    return pageOf(rows, query.limit, (row) => [String(row.sequence)]);
  }

  @Get(':id/plan')
  async plan(
    @Param('id', { schema: campaignIdParam }) id: string,
    @Query({ schema: onlyPage }) query: z.output<typeof onlyPage>,
    @Caller() caller: CallerIdentity,
  ): Promise<object> {
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
      ...(plan?.plan as object | null | undefined),
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
