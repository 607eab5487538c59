// GET /v1/sends and below: single sends, wherever they belong, with their history and the calls made for them.
// Never changes anything; operate/ holds what does.
import { Controller, Get, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import { Database } from '../../platform/database/database.js';
import { givenInstant } from '../../platform/http/given-instant.js';
import { listOf, Operation } from '../../platform/http/operation.js';
import { idPlace, pageOf, pageQuery, pageSchema, readCursor, type Page } from '../../platform/http/paging.js';
import { storableText } from '../../platform/http/storable-text.js';
import { Caller, type CallerIdentity } from '../admin/auth/caller.js';
import { Roles } from '../admin/auth/roles.js';
import { HistoryRow, sendHistory } from '../store/send/read/campaign.store.js';
import {
  AttemptRow,
  attemptsOf,
  noSuchSend,
  sendById,
  sendPage,
  SendView,
} from '../store/send/read/send-view.store.js';
import { StandingDay, standingDaysOf } from '../store/send/read/standing.store.js';
import { UnwrittenAnswer, unwrittenAnswersOf } from '../store/send/unwritten-answer.store.js';
import { sendStates } from './state-filter.js';

const listQuery = z.object({
  ...pageQuery,
  serviceId: storableText(128).optional(),
  campaign: z.uuid().optional(),
  occurrence: storableText(64).optional(),
  state: sendStates.optional(),
  code: storableText(64).optional(),
  since: givenInstant.optional(),
  until: givenInstant.optional(),
  newest: z.enum(['true', 'false']).default('true'),
});
const sendIdParam = z.uuid();

/** With the day of a send that is kept no longer. */
const GONE = { 410: ['PAST_RETENTION'] };

const SendPage = pageSchema(SendView);
const AttemptPage = pageSchema(AttemptRow);
const WholeSend = SendView.extend({
  standing: listOf(StandingDay).optional().describe('Of a standing message: what each UTC day had come to'),
  unwritten: listOf(UnwrittenAnswer)
    .optional()
    .describe('Answers that the database refused to have written down'),
  history: listOf(HistoryRow),
}).meta({ id: 'SendWithHistory' });

@Controller('v1/sends')
@Roles('publisher', 'analyst')
export class SendsController {
  constructor(private readonly database: Database) {}

  @Operation(SendPage, { summary: 'Sends, in the order of their making' })
  @Get()
  async list(
    @Query({ schema: listQuery }) query: z.output<typeof listQuery>,
    @Caller() caller: CallerIdentity,
  ): Promise<Page<SendView>> {
    const [afterId] = readCursor(query.cursor, idPlace) ?? [];
    const { newest, state, ...filter } = query;
    const rows = await sendPage(
      this.database,
      { ...filter, states: state, newestOnly: newest === 'true', serviceIds: caller.serviceFilter },
      { afterId, limit: query.limit + 1 },
    );
    return pageOf(rows, query.limit, (row) => [row.id]);
  }

  @Operation(WholeSend, { summary: 'A send with its history', refusals: GONE })
  @Get(':id')
  async one(
    @Param('id', { schema: sendIdParam }) id: string,
    @Caller() caller: CallerIdentity,
  ): Promise<z.output<typeof WholeSend>> {
    const send = await this.#own(id, caller);
    const standing = send.mode === 'scheduled' ? { standing: await standingDaysOf(this.database, id) } : {};
    const unwritten = await unwrittenAnswersOf(this.database, id);
    return {
      ...send,
      ...standing,
      ...(unwritten.length > 0 && { unwritten }),
      history: await sendHistory(this.database, id),
    };
  }

  @Operation(AttemptPage, { summary: 'The calls made for a send', refusals: GONE })
  @Get(':id/attempts')
  async attempts(
    @Param('id', { schema: sendIdParam }) id: string,
    @Caller() caller: CallerIdentity,
  ): Promise<Page<AttemptRow>> {
    const send = await this.#own(id, caller);
    return { items: await attemptsOf(this.database, send.id), nextCursor: null };
  }

  async #own(id: string, caller: CallerIdentity): Promise<SendView> {
    const send = await sendById(this.database, id);
    if (send === undefined || !caller.holds(send.serviceId)) throw await noSuchSend(this.database, id);
    return send;
  }
}
