// GET /v1/sends and below: single sends, wherever they belong, with their history and the calls made for them.
// Never changes anything; operate/ holds what does.
import { Controller, Get, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import { Database } from '../../platform/database/database.js';
import { givenInstant } from '../../platform/http/given-instant.js';
import { idPlace, pageOf, pageQuery, readCursor, type Page } from '../../platform/http/paging.js';
import { storableText } from '../../platform/http/storable-text.js';
import { Caller, type CallerIdentity } from '../admin/auth/caller.js';
import { Roles } from '../admin/auth/roles.js';
import { sendHistory } from '../store/send/read/campaign.store.js';
import { attemptsOf, sendById, sendPage, type SendView } from '../store/send/read/send-view.store.js';
import { standingDaysOf } from '../store/send/read/standing.store.js';
import { unwrittenAnswersOf } from '../store/send/unwritten-answer.store.js';
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

@Controller('v1/sends')
@Roles('publisher', 'analyst')
export class SendsController {
  constructor(private readonly database: Database) {}

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

  @Get(':id')
  async one(
    @Param('id', { schema: sendIdParam }) id: string,
    @Caller() caller: CallerIdentity,
  ): Promise<object> {
    const send = caller.own(await sendById(this.database, id), 'send');
    const standing = send.mode === 'scheduled' ? { standing: await standingDaysOf(this.database, id) } : {};
    const unwritten = await unwrittenAnswersOf(this.database, id);
    return {
      ...send,
      ...standing,
      ...(unwritten.length > 0 && { unwritten }),
      history: await sendHistory(this.database, id),
    };
  }

  @Get(':id/attempts')
  async attempts(
    @Param('id', { schema: sendIdParam }) id: string,
    @Caller() caller: CallerIdentity,
  ): Promise<Page<object>> {
    const send = caller.own(await sendById(this.database, id), 'send');
    return { items: await attemptsOf(this.database, send.id), nextCursor: null };
  }
}
