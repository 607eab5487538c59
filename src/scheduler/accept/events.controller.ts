// POST /v1/events: the intake for those without Kafka. One CloudEvent (structured or binary) or a batch; the answer says
// of each what became of it. Only a body that cannot be read as a whole is refused with a 4xx, and nothing of it kept.
import { Controller, HttpCode, Inject, Post, Req } from '@nestjs/common';
import { Problem } from '../../platform/http/problem.js';
import { Caller, type CallerIdentity } from '../admin/auth/caller.js';
import { Roles } from '../admin/auth/roles.js';
import { AcceptEvents } from './accept-events.js';
import { MAX_EVENT_BYTES } from './parse/campaign-event.js';
import { inChunks, sizeOf, type RawEvent } from './parse/raw-event.js';
import { decodeUtf8, elementsOf } from './parse/read-json.js';
import { RefuseChangedPlan } from './refuse-changed-plan.js';
import type { Verdict } from './write-batch.js';

/** Events of one batch over HTTP. */
export const MAX_BATCH_EVENTS = 1_000;

const STRUCTURED = 'application/cloudevents+json';
/** A body of any other type would reach the parser as bytes of nothing. */
const TAKEN = /^application\/(json|cloudevents(-batch)?\+json)\s*(;|$)/i;
const BATCH = /^application\/cloudevents-batch\+json\s*(;|$)/i;

interface EventsRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body's bytes, as Nest keeps them. */
  readonly rawBody?: Buffer;
}

@Controller('v1/events')
export class EventsController {
  constructor(
    @Inject(AcceptEvents) private readonly intake: AcceptEvents,
    @Inject(RefuseChangedPlan) private readonly previewed: RefuseChangedPlan,
  ) {}

  @Post()
  @Roles('publisher')
  @HttpCode(202)
  async take(
    @Req() request: EventsRequest,
    @Caller() caller: CallerIdentity,
  ): Promise<{ events: unknown[] }> {
    const raws = rawEvents(request, caller);
    const [first] = raws;
    // In a batch each has a verdict of its own: there planning rejects what has changed.
    if (first !== undefined && first.body === request.rawBody) {
      await this.previewed.check(first, (serviceId) => caller.holds(serviceId));
    }
    const verdicts: Verdict[] = [];
    for (const chunk of inChunks(raws, (raw) => raw)) verdicts.push(...(await this.intake.accept(chunk)));
    return { events: verdicts.map((verdict, index) => answerFor(verdict, index)) };
  }
}

/** The events of a request, or a thrown Problem where its body is none. */
export function rawEvents(
  { headers, rawBody }: EventsRequest,
  caller: { readonly tokenId: string; holds(serviceId: string): boolean },
): RawEvent[] {
  const kept = keptHeaders(headers);
  const type = kept['content-type'];
  if (type !== undefined && !TAKEN.test(type)) {
    const text =
      'events are application/cloudevents+json, application/cloudevents-batch+json or, with or without ce- headers, application/json';
    throw new Problem(415, 'UNSUPPORTED_MEDIA_TYPE', text);
  }
  const raw: RawEvent = { via: 'http', headers: kept, body: rawBody ?? Buffer.alloc(0), caller };
  const text = readable(raw.body);
  const isBinary = Object.keys(kept).some((name) => name.startsWith('ce-'));
  const isArray = text.trimStart().startsWith('[');
  if (BATCH.test(kept['content-type'] ?? '') || (isArray && !isBinary)) return batchOf(text, raw);
  if (sizeOf(raw) > MAX_EVENT_BYTES) {
    throw new Problem(413, 'TOO_LARGE', `an event has at most ${MAX_EVENT_BYTES} bytes`);
  }
  return [raw];
}

function batchOf(text: string, raw: RawEvent): RawEvent[] {
  const elements = elementsOf(text);
  if (elements === undefined) throw new Problem(400, 'NOT_A_BATCH', 'a batch is a JSON array of CloudEvents');
  if (elements.length === 0) throw new Problem(400, 'EMPTY_BATCH', 'the batch holds no event');
  if (elements.length > MAX_BATCH_EVENTS) {
    throw new Problem(413, 'TOO_MANY_EVENTS', `a batch holds at most ${MAX_BATCH_EVENTS} events`);
  }
  return elements.map((element) => ({
    ...raw,
    headers: { 'content-type': STRUCTURED },
    body: Buffer.from(element),
  }));
}

function readable(body: Buffer): string {
  const text = decodeUtf8(body);
  if (text === undefined) throw new Problem(400, 'NOT_UTF8', 'the body is not UTF-8');
  try {
    JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error && text.trim() !== '' ? error.message : 'it is empty';
    throw new Problem(400, 'NOT_JSON', `the body is not JSON: ${why}`);
  }
  return text;
}

/** Of the request's headers only what belongs to the event: never the token. */
function keptHeaders(headers: EventsRequest['headers']): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && (name === 'content-type' || name.startsWith('ce-'))) kept[name] = value;
  }
  return kept;
}

function answerFor(verdict: Verdict, index: number): Record<string, unknown> {
  const common = { index, source: verdict.seen.source, id: verdict.seen.id, verdict: verdict.kind };
  switch (verdict.kind) {
    case 'accepted':
      return { ...common, eventId: verdict.event, campaignId: verdict.campaign };
    case 'duplicate': {
      const { event: eventId, campaign: campaignId, ofEvent: duplicateOf } = verdict;
      return { ...common, eventId, campaignId, duplicateOf };
    }
    case 'rejected':
      return { ...common, eventId: verdict.event, rejectionId: verdict.rejection, problems: verdict.reasons };
    case 'read-before':
      break;
  }
  return common;
}
