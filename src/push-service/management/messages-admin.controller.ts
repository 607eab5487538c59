// push-decisions.md, "Management": the messages that a service took, for people who look for one of theirs.
import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import type { Clock } from '../../platform/clock.js';
import { Database } from '../../platform/database/database.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { storableText } from '../../platform/http/storable-text.js';
import { hashOfKey } from '../messages/accept-message.js';
import { findMessage, listMessages, type ListedMessage } from '../messages/message-list.store.js';
import type { MessagePage, WholeMessage } from './management-answers.js';
import { findService } from './management.store.js';
import { requireFound } from './require-found.js';

const DAY_MS = 86_400_000;
/** The longest time of one request: a text is looked for in each message of it. */
const MOST_DAYS = 31;

const instant = z.iso
  .datetime({ offset: true })
  .transform((text) => Date.parse(text))
  .refine((at) => at >= 0, 'must be 1970-01-01 or later');
const MessagesQuery = z
  .strictObject({
    from: instant.optional(),
    to: instant.optional(),
    key: z.string().min(1).max(255).optional(),
    q: storableText(200).min(1).optional(),
    before: z.uuid().optional(),
    limit: z.coerce.number().int().min(1).max(100).default(50),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from < to, {
    path: ['to'],
    message: 'must be later than from',
  })
  .refine(({ from, to }) => from === undefined || to === undefined || to - from <= MOST_DAYS * DAY_MS, {
    path: ['to'],
    message: `must be at most ${MOST_DAYS} days later than from`,
  });

@Controller('v1/services')
export class MessagesAdminController {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Newest first, from `from` until before `to` [a day up to now]; `key`: an Idempotency-Key; `q`: a part of the request. A page that is
   * not the last names the message before which the next begins.
   */
  @Get(':serviceId/messages')
  async messages(
    @Param('serviceId') serviceId: string,
    @Query({ schema: MessagesQuery }) query: z.output<typeof MessagesQuery>,
  ): Promise<MessagePage> {
    requireFound(await findService(this.database, serviceId), 'service');
    const { key, q: text, before, limit } = query;
    // A message of this moment is in the page.
    const to =
      query.to ?? (query.from === undefined ? this.clock.now() + 1_000 : query.from + MOST_DAYS * DAY_MS);
    const from = query.from ?? Math.max(0, to - DAY_MS);
    const dedupeHash = key === undefined ? undefined : hashOfKey(serviceId, key);
    const rows = await listMessages(this.database, { serviceId, from, to, before, dedupeHash, text, limit });
    return {
      items: rows.map(shown),
      nextBefore: rows.length < limit ? null : (rows.at(-1)?.requestId ?? null),
    };
  }

  /** With the request as it is kept: its users are named in it. */
  @Get(':serviceId/messages/:requestId')
  async message(
    @Param('serviceId') serviceId: string,
    @Param('requestId', { schema: z.uuid() }) requestId: string,
  ): Promise<WholeMessage> {
    requireFound(await findService(this.database, serviceId), 'service');
    return shown(requireFound(await findMessage(this.database, serviceId, requestId), 'message'));
  }
}

function shown<Row extends ListedMessage>({ requestedAt, fireAt, ...row }: Row) {
  return { ...row, requestedAt: requestedAt.toISOString(), fireAt: fireAt?.toISOString() ?? null };
}
