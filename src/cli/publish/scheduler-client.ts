// The scheduler's API as `carillon publish` calls it: it publishes events and asks what became of them.
import { setTimeout as rest } from 'node:timers/promises';
import { z } from 'zod';
import { pageSchema } from '../../platform/http/paging.js';
import { inBatches } from '../../scheduler/accept/parse/in-batches.js';
import { callApi, refusalOf, type Api } from '../shell/call-api.js';
import { schedulerApi } from '../shell/scheduler-api.js';
import type { EventJson } from './read-events.js';

/** The bounds of a request, below the 1 000 events and 16 MiB that the scheduler takes. */
const MOST = { count: 500, bytes: 8 * 1024 * 1024 };

const Problem = z.object({ pointer: z.string(), code: z.string(), text: z.string() });
const Verdict = z.object({
  verdict: z.enum(['accepted', 'parked', 'duplicate', 'rejected']),
  campaignId: z.string().nullish(),
  /** Until when a parked event waits. */
  until: z.string().optional(),
  rejectionId: z.string().optional(),
  problems: z.array(Problem).optional(),
});
const PublishedEvent = z.object({
  index: z.number(),
  id: z.string().nullable(),
  ...Verdict.shape,
  warnings: z.array(Problem).nullish(),
});
export type PublishedEvent = z.output<typeof PublishedEvent>;
const Verdicts = z.object({ events: z.array(PublishedEvent) });
const Seen = z.object({ seen: z.array(Verdict.extend({ eventId: z.string() })) });
const Plan = z.object({ warnings: z.array(Problem).default([]) });
const Campaign = z.object({
  serviceId: z.string(),
  campaignId: z.string(),
  state: z.string(),
  detail: z.string().nullable().default(null),
  attention: z.object({ code: z.string(), text: z.string() }).nullable().default(null),
  sends: z.record(z.string(), z.number()).default({}),
});
export type FollowedCampaign = z.output<typeof Campaign>;

const Services = pageSchema(z.object({ serviceId: z.string(), blocked: z.string().nullable() }));

export interface EventName {
  readonly source: string;
  readonly id: string;
  readonly serviceId?: string;
}

/** The most tries of one question, each pause twice as long as the last: it waits some 15 s for a scheduler that restarts. */
const TRIES = 6;
const FIRST_PAUSE_MS = 500;

export class SchedulerClient {
  constructor(private readonly api: Api) {}

  /** Throws UsageError where a variable is missing: `why`, and then what to set. */
  static fromEnvironment(why = ''): SchedulerClient {
    return new SchedulerClient(
      schedulerApi({ role: 'publisher', why, or: why === '' ? ', or use --kafka' : '' }),
    );
  }

  /** The verdicts in the order of `events`, by whose index they go. Throws the answer where it is none. */
  async publish(events: readonly EventJson[]): Promise<PublishedEvent[]> {
    const published: PublishedEvent[] = [];
    const all = events.map((event) => JSON.stringify(event));
    for (const texts of inBatches(all, MOST, (text) => Buffer.byteLength(text))) {
      // Only a single event is refused when its plan has changed.
      const [type, body] =
        texts.length === 1
          ? ['cloudevents+json', texts.join('')]
          : ['cloudevents-batch+json', `[${texts.join(',')}]`];
      const answer = await callApi(this.api, 'POST', '/v1/events', { type: `application/${type}`, body });
      const verdicts = Verdicts.safeParse(answer.json);
      if (!verdicts.success) throw refusalOf(this.api, answer);
      const before = published.length;
      published.push(...verdicts.data.events.map((one) => ({ ...one, index: before + one.index })));
    }
    return published;
  }

  async campaign(id: string): Promise<FollowedCampaign> {
    return this.#get(`/v1/campaigns/${id}`, Campaign);
  }

  /** Why nothing leaves for a push project now, as a code; null: it is not blocked. */
  async blocked(serviceId: string): Promise<string | null> {
    for (let cursor: string | null = ''; cursor !== null;) {
      const from = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page: z.output<typeof Services> = await this.#get(`/v1/services?limit=500${from}`, Services);
      const found = page.items.find((one) => one.serviceId === serviceId);
      if (found !== undefined) return found.blocked;
      cursor = page.nextCursor;
    }
    return null;
  }

  /** The warnings of a campaign's plan. */
  async warnings(campaign: string): Promise<z.output<typeof Problem>[]> {
    return (await this.#get(`/v1/campaigns/${campaign}/plan?limit=1`, Plan)).warnings;
  }

  /** What became of an event each time that it came, newest first. */
  async seen({ source, id, serviceId }: EventName) {
    const query = new URLSearchParams({ source, id, ...(serviceId !== undefined && { serviceId }) });
    const { seen } = await this.#get(`/v1/events?${query.toString()}`, Seen);
    return seen;
  }

  /** Asks again if nobody answers, or if the scheduler cannot answer now: a question changes nothing. */
  async #get<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema>> {
    for (let tries = 1; ; tries += 1) {
      const answer = await callApi(this.api, 'GET', path).catch((error: unknown) => {
        if (tries === TRIES) throw error;
        return undefined;
      });
      const value = schema.safeParse(answer?.json);
      if (answer?.ok === true && value.success) return value.data;
      const isAway = answer === undefined || answer.status === 429 || answer.status >= 500;
      if (answer !== undefined && (!isAway || tries === TRIES)) throw refusalOf(this.api, answer);
      await rest(FIRST_PAUSE_MS * 2 ** (tries - 1));
    }
  }
}
