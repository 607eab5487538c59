// push-interface.md §4.3: send a message, ask for its result. Also the extensions `close-key` and `result-breakdown`.
import type { ClosedKey, ResultBreakdown, SendResponse, SendResult } from '../gateway/answers.js';
import { Controller, Get, HttpCode, Post, Put, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { IDEMPOTENCY_KEY_HEADER, WARNINGS_HEADER } from '../../push-contract/headers.js';
import { ACCEPTED_STATUS_CODE } from '../../push-contract/statuses.js';
import { Loops } from '../../platform/loops/loops.js';
import type { ServiceFacts } from '../gateway/access.store.js';
import { answerTime } from '../gateway/answer-times.js';
import type { RawBody } from '../gateway/body.js';
import { CountTurns } from '../gateway/count-turns.js';
import { CountPage } from '../gateway/fields.js';
import { requireFound, notFound } from '../gateway/push-error.js';
import { PathId, PathName, Query, QueryMembers, Service } from '../gateway/request-parameters.js';
import { LOOPS } from '../loop-names.js';
import { PushMetrics } from '../metrics.js';
import { warningsHeader } from './check-message.js';
import { acceptMessage, type AcceptedMessage } from './accept-message.js';
import { findBreakdown, findNamedIds } from './breakdown.store.js';
import { closeKey } from './close-key.js';
import { MessageGroups } from './message-groups.js';
import type { ResultRow } from './message.store.js';
import { sendResult } from './send-result.js';

/**
 * The fire loop is woken only for what is due within this time, milliseconds. Its own rounds find the rest in time: even its
 * longest rest (10 s) is two hours of the fastest sandbox clock. To wake it for each reservation would cost more than to take the
 * message.
 */
const WAKE_WITHIN_MS = 3 * 3_600_000;

@Controller('push/v2/services/:serviceId/messages')
export class MessagesController {
  constructor(
    private readonly counts: CountTurns,
    private readonly loops: Loops,
    private readonly groups: MessageGroups,
    private readonly metrics: PushMetrics,
  ) {}

  @Post()
  @HttpCode(202)
  async send(
    @Service() service: ServiceFacts,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SendResponse> {
    const { caller } = request;
    if (caller === null) throw notFound();
    const accepted = await acceptMessage(this.groups.accepting(), {
      caller,
      service,
      body: request.body as RawBody | undefined,
      idempotencyKey: nonEmpty(request.headers[IDEMPOTENCY_KEY_HEADER]),
      trace: request.span?.context,
    });
    if (accepted.taken !== null) this.metrics.countMessage(accepted.taken);
    this.#wakeFor(accepted);
    if (accepted.warnings.length > 0) reply.header(WARNINGS_HEADER, warningsHeader(accepted.warnings));
    return {
      requestId: accepted.requestId,
      requestTime: answerTime(accepted.requestedAt, service),
      statusCode: ACCEPTED_STATUS_CODE,
      statusName: accepted.statusName,
    };
  }

  /** Extension `close-key`. */
  @Put('keys/:key')
  async closeKey(
    @Service() service: ServiceFacts,
    @PathName('key') key: string,
    @Req() { caller }: FastifyRequest,
  ): Promise<ClosedKey> {
    if (caller === null) throw notFound();
    return closeKey(this.groups.accepting(), service, caller, key);
  }

  @Get(':requestId')
  async get(@Service() service: ServiceFacts, @PathId('requestId') requestId: string): Promise<SendResult> {
    return sendResult(await this.#found(service, requestId), service);
  }

  /** Extension `result-breakdown`. */
  @Get(':requestId/breakdown')
  async breakdown(
    @Service() service: ServiceFacts,
    @PathId('requestId') requestId: string,
    @QueryMembers(new Query(CountPage)) query: CountPage,
  ): Promise<ResultBreakdown> {
    await this.#found(service, requestId);
    return this.counts.take(service.id, async (sql) => {
      const breakdown = await findBreakdown(sql, requestId, query);
      const ids = query.pageIndex === 0 ? await findNamedIds(sql, requestId) : undefined;
      return { requestId, breakdown, ...(ids !== undefined && { ids }) };
    });
  }

  async #found(service: ServiceFacts, id: string): Promise<ResultRow> {
    const row = await this.groups.find({ serviceId: service.id, id });
    return requireFound(row, 'requestId: there is no such message');
  }

  /** An immediate message is fired already. A small one waits for the worker of small ones, which takes many together. */
  #wakeFor({ requestedAt, taken }: AcceptedMessage): void {
    if (taken === null || taken.fireAt === null) return;
    if (taken.kind === 'reserved') {
      if (taken.fireAt.getTime() - requestedAt.getTime() < WAKE_WITHIN_MS) this.loops.wake(LOOPS.fire);
    } else if (taken.small) this.loops.wake(LOOPS.expandSmall);
    else for (const loop of [LOOPS.expand, LOOPS.expandBeside]) this.loops.wake(loop);
  }
}

function nonEmpty(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
