// Cancel, pause and resume over HTTP, of a campaign and of one occurrence. Each is one audited use case; a foreign row is answered
// like an unknown one.
import { Body, Controller, HttpCode, Param, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import { Operation } from '../../../platform/http/operation.decorator.js';
import { storableText } from '../../../platform/http/storable-text.js';
import type { CallerIdentity } from '../../admin/auth/caller.js';
import { Caller } from '../../admin/auth/caller.decorator.js';
import { Roles } from '../../admin/auth/roles.js';
import type { CampaignAct } from '../../decide/lifecycle/campaign-act.js';
import { ourCampaignId } from '../../store/read/our-ids.js';
import { ActOnCampaign, ActTaken } from './act-on-campaign.js';
import { actQuery, type ActQuery } from './act-query.js';

const occurrenceId = storableText(64).min(1);
/** A POST without a body is an empty one. */
const actBody = z
  .strictObject({ reason: storableText(500).min(1).optional() })
  .prefault({})
  .meta({ examples: [{ reason: 'the link is wrong' }] });
type ActBody = z.output<typeof actBody>;

const ofCampaign = { refusals: { 409: ['CAMPAIGN_CLOSED'] } } as const;
const ofOccurrence = {
  refusals: { 409: ['CAMPAIGN_CLOSED', 'OCCURRENCE_CLOSED', 'OCCURRENCE_TOO_FAR'] },
} as const;

@Controller('v1/campaigns')
@Roles('operator')
export class ActsController {
  constructor(private readonly actOnCampaign: ActOnCampaign) {}

  /** The cancel is confirmed when the campaign's state is `canceled`. */
  @Operation(ActTaken, { summary: 'Cancels all of a campaign that has not left', ...ofCampaign })
  @Post(':id/cancel')
  @HttpCode(202)
  async cancel(
    @Param('id', { schema: ourCampaignId }) campaign: string,
    @Query({ schema: actQuery }) query: ActQuery,
    @Body({ schema: actBody }) body: ActBody,
    @Caller() caller: CallerIdentity,
  ): Promise<ActTaken> {
    return this.#run('cancel', { campaign, ...query, ...body }, caller);
  }

  /** Nothing of it leaves from the answer on. What the push service holds is asked back. */
  @Operation(ActTaken, { summary: 'Pauses a campaign: what has not left is held', ...ofCampaign })
  @Post(':id/pause')
  @HttpCode(202)
  async pause(
    @Param('id', { schema: ourCampaignId }) campaign: string,
    @Query({ schema: actQuery }) query: ActQuery,
    @Body({ schema: actBody }) body: ActBody,
    @Caller() caller: CallerIdentity,
  ): Promise<ActTaken> {
    return this.#run('pause', { campaign, ...query, ...body }, caller);
  }

  /** Late sends follow the lateness of their policy. Occurrences that are paused on their own stay paused. */
  @Operation(ActTaken, { summary: 'Resumes a campaign: what is held is planned again', ...ofCampaign })
  @Post(':id/resume')
  @HttpCode(202)
  async resume(
    @Param('id', { schema: ourCampaignId }) campaign: string,
    @Query({ schema: actQuery }) query: ActQuery,
    @Body({ schema: actBody }) body: ActBody,
    @Caller() caller: CallerIdentity,
  ): Promise<ActTaken> {
    return this.#run('resume', { campaign, ...query, ...body }, caller);
  }

  /** One occurrence of a recurrence, planned or not; the campaign goes on with the others. */
  @Operation(ActTaken, { summary: 'Cancels one occurrence', ...ofOccurrence })
  @Post(':id/occurrences/:occurrence/cancel')
  @HttpCode(202)
  // oxlint-disable-next-line max-params -- one for each part of the request
  async cancelOccurrence(
    @Param('id', { schema: ourCampaignId }) campaign: string,
    @Param('occurrence', { schema: occurrenceId }) occurrence: string,
    @Query({ schema: actQuery }) query: ActQuery,
    @Body({ schema: actBody }) body: ActBody,
    @Caller() caller: CallerIdentity,
  ): Promise<ActTaken> {
    return this.#run('cancel', { campaign, occurrence, ...query, ...body }, caller);
  }

  /** One occurrence of a recurrence, planned or not; the campaign goes on with the others. */
  @Operation(ActTaken, { summary: 'Pauses one occurrence', ...ofOccurrence })
  @Post(':id/occurrences/:occurrence/pause')
  @HttpCode(202)
  // oxlint-disable-next-line max-params -- one for each part of the request
  async pauseOccurrence(
    @Param('id', { schema: ourCampaignId }) campaign: string,
    @Param('occurrence', { schema: occurrenceId }) occurrence: string,
    @Query({ schema: actQuery }) query: ActQuery,
    @Body({ schema: actBody }) body: ActBody,
    @Caller() caller: CallerIdentity,
  ): Promise<ActTaken> {
    return this.#run('pause', { campaign, occurrence, ...query, ...body }, caller);
  }

  /** It stays held while all of the campaign is paused. */
  @Operation(ActTaken, { summary: 'Resumes one occurrence', ...ofOccurrence })
  @Post(':id/occurrences/:occurrence/resume')
  @HttpCode(202)
  // oxlint-disable-next-line max-params -- one for each part of the request
  async resumeOccurrence(
    @Param('id', { schema: ourCampaignId }) campaign: string,
    @Param('occurrence', { schema: occurrenceId }) occurrence: string,
    @Query({ schema: actQuery }) query: ActQuery,
    @Body({ schema: actBody }) body: ActBody,
    @Caller() caller: CallerIdentity,
  ): Promise<ActTaken> {
    return this.#run('resume', { campaign, occurrence, ...query, ...body }, caller);
  }

  #run(
    act: CampaignAct,
    { occurrence, preview, ...order }: ActBody & ActQuery & { campaign: string; occurrence?: string },
    { who, holds }: CallerIdentity,
  ): Promise<ActTaken> {
    const { campaign, reason } = order;
    return this.actOnCampaign.run({
      act,
      campaign,
      occurrence,
      reason,
      preview: preview === 'true',
      who,
      holds,
    });
  }
}
