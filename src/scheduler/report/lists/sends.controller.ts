// GET /v1/sends and below: sends of any campaign, and one with its history and the calls made for it. Reads only; operate/ changes
// sends.
import { Controller, Get, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import { Database, type Sql } from '../../../platform/database/database.js';
import { Operation } from '../../../platform/http/operation.decorator.js';
import { listOf } from '../../../platform/http/zod-schemas.js';
import { pageQuery, pageSchema, type Page } from '../../../platform/http/paging.js';
import type { CallerIdentity } from '../../admin/auth/caller.js';
import { Caller } from '../../admin/auth/caller.decorator.js';
import { Roles } from '../../admin/auth/roles.js';
import { HistoryRow, sendHistory } from '../../store/read/campaign.store.js';
import { ourSendId } from '../../store/read/our-ids.js';
import { AttemptRow, attemptsOf, noSuchSend, sendById, SendView } from '../../store/read/send-view.store.js';
import { StandingDay, standingDaysOf } from '../../store/read/standing.store.js';
import { UnwrittenAnswer, unwrittenAnswersOf } from '../../store/send/unwritten-answer.store.js';
import { sendFilterQuery } from '../../store/read/send-filter.js';
import { inSnapshotOfSends } from '../held-days.js';
import { sendOrder, SendPage, shownSends } from './shown-sends.js';

const listQuery = z.object({
  ...pageQuery,
  ...sendFilterQuery,
  newest: z.enum(['true', 'false']).default('true').describe('Only the send of each chunk that counts'),
  order: sendOrder,
});

/** The answer for a send whose day is kept no longer. */
const GONE = { 410: ['PAST_RETENTION'] };

const AttemptPage = pageSchema(AttemptRow);
const WholeSend = SendView.extend({
  standing: listOf(StandingDay)
    .optional()
    .describe('Only a standing message: what it had come to at the end of each UTC day'),
  unwritten: listOf(UnwrittenAnswer).optional().describe('Answers that the database refused to store'),
  history: listOf(HistoryRow),
}).meta({ id: 'SendWithHistory' });

@Controller('v1/sends')
@Roles('publisher', 'analyst')
export class SendsController {
  constructor(private readonly database: Database) {}

  @Operation(SendPage, { summary: 'Sends, oldest first or newest first' })
  @Get()
  async list(
    @Query({ schema: listQuery }) query: z.output<typeof listQuery>,
    @Caller() caller: CallerIdentity,
  ): Promise<SendPage> {
    return shownSends(this.database, query, caller.serviceFilter);
  }

  @Operation(WholeSend, { summary: 'A send with its history', refusals: GONE })
  @Get(':id')
  async one(
    @Param('id', { schema: ourSendId }) id: string,
    @Caller() caller: CallerIdentity,
  ): Promise<z.output<typeof WholeSend>> {
    return inSnapshotOfSends(this.database, async (sql) => {
      const send = await this.#own(id, caller, sql);
      const unwritten = await unwrittenAnswersOf(sql, id);
      return {
        ...send,
        ...(send.mode === 'scheduled' && { standing: await standingDaysOf(sql, id) }),
        ...(unwritten.length > 0 && { unwritten }),
        history: await sendHistory(sql, id),
      };
    });
  }

  @Operation(AttemptPage, { summary: 'The calls made for a send', refusals: GONE })
  @Get(':id/attempts')
  async attempts(
    @Param('id', { schema: ourSendId }) id: string,
    @Caller() caller: CallerIdentity,
  ): Promise<Page<AttemptRow>> {
    const send = await this.#own(id, caller);
    return { items: await attemptsOf(this.database, send.id), nextCursor: null };
  }

  async #own(id: string, caller: CallerIdentity, sql: Sql = this.database): Promise<SendView> {
    const send = await sendById(sql, id);
    if (send === undefined || !caller.holds(send.serviceId)) throw await noSuchSend(sql, id);
    return send;
  }
}
