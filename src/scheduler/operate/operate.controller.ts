// What operators do to campaigns and sends. Each route is one use case, audited; a foreign row answers like an unknown
// one.
import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { z } from 'zod';
import { storableText } from '../../platform/http/storable-text.js';
import { Caller, type CallerIdentity } from '../admin/auth/caller.js';
import { Roles } from '../admin/auth/roles.js';
import { CancelCampaign, type CancelTaken } from './cancel-campaign.js';
import { RESOLUTIONS, ResolveSend } from './resolve-send.js';
import { RetrySend, type RetriedSend } from './retry-send.js';
import type { SendView } from '../store/send/read/send-view.store.js';

const id = z.uuid();
const occurrenceId = storableText(64).min(1);
/** A POST without a body is an empty one. */
const reasonText = storableText(500).min(1).optional();
const cancelBody = z.strictObject({ reason: reasonText }).prefault({});
const resolveBody = z.strictObject({ resolution: z.enum(RESOLUTIONS), reason: reasonText });
const retryBody = z.strictObject({ acceptDuplicates: z.boolean().default(false) }).prefault({});

@Controller('v1/campaigns')
@Roles('operator')
export class OperateCampaignsController {
  constructor(private readonly cancelCampaign: CancelCampaign) {}

  /** The cancel is confirmed once the campaign is `canceled`. */
  @Post(':id/cancel')
  @HttpCode(202)
  async cancel(
    @Param('id', { schema: id }) campaign: string,
    @Body({ schema: cancelBody }) { reason }: z.output<typeof cancelBody>,
    @Caller() { who, holds }: CallerIdentity,
  ): Promise<CancelTaken> {
    return this.cancelCampaign.run({ campaign, occurrence: undefined, who, holds, reason });
  }

  /** One firing of a recurrence, planned or not; the campaign goes on with the others. */
  @Post(':id/occurrences/:occurrence/cancel')
  @HttpCode(202)
  async cancelOccurrence(
    @Param('id', { schema: id }) campaign: string,
    @Param('occurrence', { schema: occurrenceId }) occurrence: string,
    @Body({ schema: cancelBody }) { reason }: z.output<typeof cancelBody>,
    @Caller() { who, holds }: CallerIdentity,
  ): Promise<CancelTaken> {
    return this.cancelCampaign.run({ campaign, occurrence, who, holds, reason });
  }
}

@Controller('v1/sends')
@Roles('operator')
export class OperateSendsController {
  constructor(
    private readonly retrySend: RetrySend,
    private readonly resolveSend: ResolveSend,
  ) {}

  /** Answers the new send. */
  @Post(':id/retry')
  async retry(
    @Param('id', { schema: id }) send: string,
    @Body({ schema: retryBody }) { acceptDuplicates }: z.output<typeof retryBody>,
    @Caller() { who, holds }: CallerIdentity,
  ): Promise<RetriedSend> {
    return this.retrySend.run({ send, who, holds, acceptDuplicates });
  }

  /** Of an uncertain send: what somebody found out. */
  @Post(':id/resolve')
  @HttpCode(200)
  async resolve(
    @Param('id', { schema: id }) send: string,
    @Body({ schema: resolveBody }) body: z.output<typeof resolveBody>,
    @Caller() { who, holds }: CallerIdentity,
  ): Promise<SendView> {
    return this.resolveSend.run({
      send,
      resolution: body.resolution,
      reason: body.reason,
      who,
      holds,
    });
  }
}
