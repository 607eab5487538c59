// Approve and decline over HTTP: by operators, and by publishers of its services where the publisher alone asked for the approval.
import { Body, Controller, HttpCode, Param, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import { Operation } from '../../../platform/http/operation.decorator.js';
import { storableText } from '../../../platform/http/storable-text.js';
import type { CallerIdentity } from '../../admin/auth/caller.js';
import { Caller } from '../../admin/auth/caller.decorator.js';
import { Roles } from '../../admin/auth/roles.js';
import { ourCampaignId } from '../../store/read/our-ids.js';
import { ActTaken } from './act-on-campaign.js';
import { actQuery, type ActQuery } from './act-query.js';
import { AnswerApproval } from './answer-approval.js';

const reason = storableText(500).min(1);
const approveBody = z
  .strictObject({
    revision: z.int().min(1).describe('The one that was looked at'),
    hash: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be 64 hex digits')
      .describe('Of what was looked at: GET /v1/campaigns/{id} has it with the revision'),
    reason: reason.optional(),
  })
  .meta({ examples: [{ revision: 1, hash: '0'.repeat(64) }] });
const declineBody = z.strictObject({ reason }).meta({ examples: [{ reason: 'the price is wrong' }] });

@Controller('v1/campaigns')
@Roles('operator', 'publisher')
export class ApprovalController {
  constructor(private readonly answer: AnswerApproval) {}

  /** Approved once for all of its occurrences. What came due meanwhile follows its lateness; what is paused stays held. */
  @Operation(ActTaken, {
    summary: 'Approves a campaign: what waits for it is planned again',
    refusals: {
      403: ['ROLE_MISSING'],
      409: ['CAMPAIGN_CLOSED', 'NOT_PLANNED_YET', 'REVISION_CHANGED', 'HASH_DIFFERS', 'SAME_HAND'],
    },
  })
  @Post(':id/approve')
  @HttpCode(202)
  // oxlint-disable-next-line max-params -- one for each part of the request
  async approve(
    @Param('id', { schema: ourCampaignId }) campaign: string,
    @Query({ schema: actQuery }) { preview }: ActQuery,
    @Body({ schema: approveBody }) { reason: why, ...saw }: z.output<typeof approveBody>,
    @Caller() caller: CallerIdentity,
  ): Promise<ActTaken> {
    const order = { act: 'approve', campaign, caller, reason: why, saw } as const;
    return this.answer.run({ ...order, preview: preview === 'true' });
  }

  /** The campaign ends as `canceled`, with the code `DECLINED`. */
  @Operation(ActTaken, {
    summary: 'Declines a campaign that awaits approval: nothing of it leaves',
    refusals: { 403: ['ROLE_MISSING'], 409: ['CAMPAIGN_CLOSED', 'NOT_PLANNED_YET', 'APPROVED_ALREADY'] },
  })
  @Post(':id/decline')
  @HttpCode(202)
  // oxlint-disable-next-line max-params -- one for each part of the request
  async decline(
    @Param('id', { schema: ourCampaignId }) campaign: string,
    @Query({ schema: actQuery }) { preview }: ActQuery,
    @Body({ schema: declineBody }) body: z.output<typeof declineBody>,
    @Caller() caller: CallerIdentity,
  ): Promise<ActTaken> {
    const order = { act: 'decline', campaign, caller, reason: body.reason } as const;
    return this.answer.run({ ...order, preview: preview === 'true' });
  }
}
