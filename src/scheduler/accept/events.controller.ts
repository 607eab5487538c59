// POST /v1/events: the intake for publishers without Kafka. Takes one CloudEvent (structured or binary) or a batch; the answer
// has a verdict for each. Where no event was taken it is a 422 with the same verdicts: refused events are kept and shown too.
// Nothing is kept of a body that cannot be read as a whole, or with `validate=true`.
import { Controller, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { commitWithAnswer } from '../../platform/database/request-transaction.js';
import { Operation } from '../../platform/http/operation.decorator.js';
import { Problem } from '../../platform/http/problem.js';
import { TRACEPARENT, TRACESTATE } from '../../platform/tracing/trace-context.js';
import { Budgets } from '../admin/auth/budgets.js';
import type { CallerIdentity } from '../admin/auth/caller.js';
import { Caller } from '../admin/auth/caller.decorator.js';
import { Roles } from '../admin/auth/roles.js';
import { AcceptEvents } from './accept-events.js';
import {
  answerFor,
  judgedAnswer,
  JudgedEvents,
  listedOfEach,
  nothingTaken,
  Verdicts,
} from './event-verdict.js';
import {
  CanceledEvent,
  PausedEvent,
  ResumedEvent,
  CommandData,
  MAX_EVENT_BYTES,
  ScheduledData,
  ScheduledEvent,
} from './parse/campaign-event.js';
import type { BodyElements } from './parse/body-elements.js';
import { inBatches } from './parse/in-batches.js';
import { CHUNK, isBinary, sizeOf, type EventCaller, type RawEvent } from './parse/raw-event.js';
import { RefuseChangedPlan } from './refuse-changed-plan.js';
import { WarnOfTaken } from './warn-of-taken.js';
import type { Verdict } from './write-batch.js';

/** The most events of one batch over HTTP. */
const MAX_BATCH_EVENTS = 1_000;

const STRUCTURED = 'application/cloudevents+json';
/** Nest keeps no body of any other type: the parser would see an empty one. */
const TAKEN = /^application\/(json|cloudevents(-batch)?\+json)\s*(;|$)/i;
const BATCH = /^application\/cloudevents-batch\+json\s*(;|$)/i;

/** The request's trace, for events that name none themselves. */
const OF_TRACE: ReadonlySet<string> = new Set([TRACEPARENT, TRACESTATE]);

const AnyEvent = z.union([ScheduledEvent, CanceledEvent, PausedEvent, ResumedEvent]);
const EVENT_BODIES = {
  'application/cloudevents+json': AnyEvent,
  'application/cloudevents-batch+json': z.array(AnyEvent).min(1).max(MAX_BATCH_EVENTS),
  'application/json': z
    .union([ScheduledData, CommandData, AnyEvent])
    .describe('With ce- headers the data; without them the event'),
};

interface EventsRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body's bytes, as Nest keeps them. */
  readonly rawBody?: Buffer;
}

const takeQuery = z.object({
  validate: z
    .enum(['true', 'false'])
    .default('false')
    .describe('true: only says what would become of the events now (200, JudgedEvents), and keeps nothing'),
});
const Answer = z.union([Verdicts, JudgedEvents]);

@Controller('v1/events')
export class EventsController {
  constructor(
    private readonly intake: AcceptEvents,
    private readonly previewed: RefuseChangedPlan,
    private readonly warner: WarnOfTaken,
    private readonly budgets: Budgets,
  ) {}

  @Operation(Answer, {
    summary: 'Takes events of campaigns, one or a batch',
    body: EVENT_BODIES,
    refusals: {
      400: ['NOT_UTF8', 'NOT_JSON', 'NOT_A_BATCH', 'EMPTY_BATCH'],
      409: ['PLAN_CHANGED'],
      413: ['TOO_LARGE', 'TOO_MANY_EVENTS'],
      422: ['NOTHING_TAKEN'],
      503: ['INTAKE_BUSY'],
    },
    refusalMembers: { 422: Verdicts },
    otherStatuses: [200],
  })
  @Post()
  @Roles('publisher')
  @HttpCode(202)
  async take(
    @Query({ schema: takeQuery }) { validate }: z.output<typeof takeQuery>,
    @Req() request: EventsRequest,
    @Caller() caller: CallerIdentity,
    @Res({ passthrough: true }) reply: { code(status: number): void },
  ): Promise<z.output<typeof Answer>> {
    this.budgets.takeEvents(caller, request.rawBody?.length ?? 0);
    const raws = await this.#rawEvents(request, caller);
    if (validate === 'true') {
      reply.code(200);
      return this.#judge(raws, caller);
    }
    // An event for a service that the token does not hold is refused, and not planned.
    const plans = (await this.intake.plansOf(raws)).filter(({ serviceId }) => caller.holds(serviceId));
    this.budgets.takePlans(caller, plans);
    const [first] = raws;
    // Not in a batch, where each event has a verdict of its own: there, planning rejects a campaign whose plan has changed.
    if (first !== undefined && first.body === request.rawBody) {
      await this.previewed.check(first, await this.intake.seenOf(first), caller);
    }
    const verdicts: Verdict[] = [];
    const listed = listedOfEach(raws.length);
    await this.intake.inTurn(caller.owner, async () => {
      for (const chunk of inBatches(raws, CHUNK, sizeOf)) verdicts.push(...(await this.intake.accept(chunk)));
      const kept = verdicts.map((verdict, index) => answerFor(verdict, index, { listed }));
      if (kept.every(({ verdict }) => verdict === 'rejected')) throw nothingTaken(kept);
      // A dry run may wait for a thread: the events that were taken hold no connection and no lock meanwhile.
      await commitWithAnswer({ events: kept });
    });
    const warnings = await this.warner.of(verdicts);
    return {
      events: verdicts.map((verdict, index) =>
        answerFor(verdict, index, { warnings: warnings[index], listed }),
      ),
    };
  }

  async #judge(raws: readonly RawEvent[], caller: CallerIdentity): Promise<JudgedEvents> {
    const listed = listedOfEach(raws.length);
    const verdicts: Verdict[] = [];
    await this.intake.inTurn(caller.owner, async () => {
      for (const chunk of inBatches(raws, CHUNK, sizeOf)) verdicts.push(...(await this.intake.judge(chunk)));
    });
    return { judged: verdicts.map((verdict, index) => judgedAnswer(verdict, index, listed)) };
  }

  /** The events of a request. Throws a Problem where its body holds none. */
  async #rawEvents({ headers, rawBody }: EventsRequest, caller: EventCaller): Promise<RawEvent[]> {
    const kept = keptHeaders(headers);
    const type = kept['content-type'];
    if (type !== undefined && !TAKEN.test(type)) {
      const text =
        'events are application/cloudevents+json, application/cloudevents-batch+json or, with or without ce- headers, application/json';
      throw new Problem(415, 'UNSUPPORTED_MEDIA_TYPE', text);
    }
    const raw: RawEvent = { via: 'http', headers: kept, body: rawBody ?? Buffer.alloc(0), caller };
    const elements = readable(await this.intake.elementsOf(raw.body, caller.tokenId));
    if (BATCH.test(kept['content-type'] ?? '') || (elements !== undefined && !isBinary(kept)))
      return batchOf(elements, raw);
    if (sizeOf(raw) > MAX_EVENT_BYTES) {
      throw new Problem(413, 'TOO_LARGE', `an event has at most ${MAX_EVENT_BYTES} bytes`);
    }
    return [raw];
  }
}

function batchOf(elements: readonly Uint8Array[] | undefined, raw: RawEvent): RawEvent[] {
  if (elements === undefined) throw new Problem(400, 'NOT_A_BATCH', 'a batch is a JSON array of CloudEvents');
  if (elements.length === 0) throw new Problem(400, 'EMPTY_BATCH', 'the batch holds no event');
  if (elements.length > MAX_BATCH_EVENTS) {
    throw new Problem(413, 'TOO_MANY_EVENTS', `a batch holds at most ${MAX_BATCH_EVENTS} events`);
  }
  const ofRequest = Object.entries(raw.headers).filter(([name]) => OF_TRACE.has(name));
  const headers = { 'content-type': STRUCTURED, ...Object.fromEntries(ofRequest) };
  return elements.map(({ buffer, byteOffset, byteLength }) => ({
    ...raw,
    headers,
    body: Buffer.from(buffer, byteOffset, byteLength),
  }));
}

/** The elements of a batch; undefined for a single event. */
function readable(body: BodyElements): readonly Uint8Array[] | undefined {
  if (body.kind === 'not-utf8') throw new Problem(400, 'NOT_UTF8', 'the body is not UTF-8');
  if (body.kind === 'not-json') throw new Problem(400, 'NOT_JSON', `the body is not JSON: ${body.why}`);
  return body.elements;
}

/** Only those of the request's headers that belong to the event: never the token. */
function keptHeaders(headers: EventsRequest['headers']): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const isKept = name === 'content-type' || name.startsWith('ce-') || OF_TRACE.has(name);
    if (isKept && typeof value === 'string') kept[name] = value;
  }
  return kept;
}
