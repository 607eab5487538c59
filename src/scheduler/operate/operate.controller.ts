// The routes with which operators change single sends. Each is one audited use case; a foreign row is answered like an unknown one.
import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { z } from 'zod';
import { Operation } from '../../platform/http/operation.decorator.js';
import { storableText } from '../../platform/http/storable-text.js';
import type { CallerIdentity } from '../admin/auth/caller.js';
import { Caller } from '../admin/auth/caller.decorator.js';
import { Roles } from '../admin/auth/roles.js';
import { NOT_CALLED } from '../push-client/blocks/not-called-problem.js';
import { REQUEST_ID_NEEDED, RESOLUTIONS } from '../decide/lifecycle/resolution.js';
import { ResolveSend } from './resolve-send.js';
import { RetriedSend, RetrySend } from './retry-send.js';
import { ourSendId } from '../store/read/our-ids.js';
import { SendView } from '../store/read/send-view.store.js';
import { RETRY_REFUSALS } from '../store/send/retry.store.js';

const reasonText = storableText(500).min(1).optional();
const resolveBody = z
  .strictObject({
    resolution: z.enum(RESOLUTIONS),
    requestId: z
      .string()
      .regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 visible ASCII characters')
      .optional()
      .describe('The push service’s id of the request that was taken: the send is followed by it'),
    reason: reasonText,
  })
  .refine(({ resolution, requestId }) => requestId === undefined || resolution === 'confirmed-sent', {
    path: ['requestId'],
    message: 'is only for confirmed-sent',
  });
const retryBody = z.strictObject({ acceptDuplicates: z.boolean().default(false) }).prefault({});

@Controller('v1/sends')
@Roles('operator')
export class OperateSendsController {
  constructor(
    private readonly retrySend: RetrySend,
    private readonly resolveSend: ResolveSend,
  ) {}

  /** Returns the new send. */
  @Operation(RetriedSend, {
    summary: 'Retries a send that ended badly',
    refusals: {
      ...NOT_CALLED,
      409: [...NOT_CALLED[409], ...RETRY_REFUSALS, 'DELIVERED_TO_SOME', 'RESULT_NOT_FINAL'],
      410: ['PAST_RETENTION'],
      502: ['RESULT_UNREAD'],
    },
  })
  @Post(':id/retry')
  async retry(
    @Param('id', { schema: ourSendId }) send: string,
    @Body({ schema: retryBody }) { acceptDuplicates }: z.output<typeof retryBody>,
    @Caller() { who, holds }: CallerIdentity,
  ): Promise<RetriedSend> {
    return this.retrySend.run({ send, who, holds, acceptDuplicates });
  }

  /** An operator says what became of an uncertain send. */
  @Operation(SendView, {
    summary: 'Says what became of an uncertain send',
    refusals: { 409: ['NOT_UNCERTAIN', REQUEST_ID_NEEDED], 410: ['PAST_RETENTION'] },
  })
  @Post(':id/resolve')
  @HttpCode(200)
  async resolve(
    @Param('id', { schema: ourSendId }) send: string,
    @Body({ schema: resolveBody }) { resolution, requestId, reason }: z.output<typeof resolveBody>,
    @Caller() { who, holds }: CallerIdentity,
  ): Promise<SendView> {
    return this.resolveSend.run({ send, resolution, requestId, reason, who, holds });
  }
}
