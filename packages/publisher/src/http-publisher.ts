// Publishes over HTTP and follows a campaign to its end. Events go in order, in requests of bounded size. Every event gets
// its verdict: refused ones are thrown, with every reason.
import { setTimeout as rest } from 'node:timers/promises';
import { inBatches } from '../../../src/scheduler/accept/parse/in-batches.js';
import { CLOSED_CAMPAIGN } from '../../../src/scheduler/decide/lifecycle/campaign-state.js';
import type { CampaignEvent } from './campaign-events.js';
import { prepare, type Prepared } from './check-event.js';
import type { CampaignWithRevisions, EventVerdict } from './contract.js';
import { HttpCaller, type Answer, type HttpCallerOptions } from './http-caller.js';
import { EventsRefused, PublishError, type Published, type Taken } from './published.js';

export interface HttpPublisherOptions extends HttpCallerOptions {
  /** false: nothing is checked before sending, the scheduler alone judges [true]. */
  readonly check?: boolean;
}

interface Waiting {
  /** Once it is aborted, the publisher sends nothing further, and waiting ends with the reason of the abort. */
  readonly signal?: AbortSignal | undefined;
}

/** The bounds of a request, below the 1 000 events and 16 MiB that the scheduler takes. */
const MOST = { count: 500, bytes: 8 * 1024 * 1024 };

export class HttpPublisher {
  readonly #caller: HttpCaller;
  readonly #check: boolean;

  constructor(options: HttpPublisherOptions = {}) {
    this.#caller = new HttpCaller(options);
    this.#check = options.check ?? true;
  }

  /**
   * Returns what became of the event, or of each event in order. Throws EventsRefused where one was refused (the others were taken),
   * and PublishError where there is no verdict: then publish the same events again.
   */
  async publish(event: CampaignEvent, options?: Waiting): Promise<Taken>;
  async publish(events: readonly CampaignEvent[], options?: Waiting): Promise<Taken[]>;
  async publish(
    events: CampaignEvent | readonly CampaignEvent[],
    { signal }: Waiting = {},
  ): Promise<Taken | Taken[]> {
    const { right, published } = prepare([events].flat(), this.#check);
    for (const batch of inBatches(right, MOST, ({ bytes }) => bytes)) {
      const verdicts = await this.#send(batch, signal).catch((error: unknown) => {
        if (!(error instanceof PublishError)) throw error;
        throw new PublishError(error.message, error.code, {
          ...error.details,
          published: decided(published),
        });
      });
      for (const [at, prepared] of batch.entries()) {
        const verdict = verdicts[at];
        if (verdict !== undefined) published[prepared.index] = toPublished(prepared.event, verdict);
      }
    }
    const all = decided(published);
    const taken = all.filter((one) => one.verdict !== 'rejected');
    if (taken.length < all.length) throw new EventsRefused(all);
    const [only] = taken;
    return 'length' in events || only === undefined ? taken : only;
  }

  async #send(batch: readonly Prepared[], signal: AbortSignal | undefined): Promise<EventVerdict[]> {
    // Only a single event is refused when its plan has changed: 409 PLAN_CHANGED.
    const [type, body] =
      batch.length === 1
        ? ['cloudevents+json', batch.map(({ text }) => text).join('')]
        : ['cloudevents-batch+json', `[${batch.map(({ text }) => text).join(',')}]`];
    const answer = await this.#caller.call('/v1/events', { type: `application/${type}`, body }, signal);
    const verdicts = member(answer.body, 'events');
    // 202, or 422 where nothing was taken.
    if (Array.isArray(verdicts) && verdicts.length === batch.length) return verdicts as EventVerdict[];
    throw refusal(answer);
  }

  /** A campaign by the scheduler's id, as a verdict names it. */
  async campaign(id: string, { signal }: Waiting = {}): Promise<CampaignWithRevisions> {
    const answer = await this.#caller.call(`/v1/campaigns/${encodeURIComponent(id)}`, undefined, signal);
    if (answer.status !== 200) throw refusal(answer);
    return answer.body as CampaignWithRevisions;
  }

  /** The campaign: at once, and each time its state has changed; ends with its last state. */
  async *follow(
    { campaignId }: Taken,
    { everyMs = 1_000, signal }: Waiting & { readonly everyMs?: number } = {},
  ): AsyncGenerator<CampaignWithRevisions, void, undefined> {
    // For example a duplicate whose campaign is deleted, or a cancel that waits for its campaign.
    if (campaignId === null)
      throw new PublishError('the campaign is kept no longer, or has not come yet', 'NOT_FOUND');
    for (let last: string | undefined; ;) {
      const campaign = await this.campaign(campaignId, { signal });
      if (campaign.state !== last) yield campaign;
      last = campaign.state;
      if (CLOSED_CAMPAIGN.includes(campaign.state)) return;
      await rest(everyMs, undefined, { ...(signal && { signal }) });
    }
  }
}

function toPublished(event: CampaignEvent, verdict: EventVerdict): Published {
  if (verdict.verdict === 'rejected') {
    const { rejectionId, problems } = verdict;
    return { event, verdict: 'rejected', refusedBy: 'intake', rejectionId, problems };
  }
  const { eventId } = verdict;
  if (verdict.verdict === 'accepted')
    return { event, verdict: 'accepted', eventId, campaignId: verdict.campaignId };
  if (verdict.verdict === 'parked')
    return { event, verdict: 'parked', eventId, campaignId: null, until: verdict.until };
  const { campaignId, duplicateOf } = verdict;
  return { event, verdict: 'duplicate', eventId, campaignId, duplicateOf };
}

/** The events that have a verdict, in order. */
function decided(published: readonly (Published | undefined)[]): Published[] {
  return published.filter((one) => one !== undefined);
}

function refusal({ status, body }: Answer): PublishError {
  const [code, detail] = [member(body, 'code'), member(body, 'detail')];
  const text = typeof detail === 'string' ? detail : `the scheduler answered ${status}`;
  return new PublishError(text, typeof code === 'string' ? code : `HTTP_${status}`, { status, answer: body });
}

function member(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined;
}
