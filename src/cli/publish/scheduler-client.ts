// The scheduler's API as a publisher calls it from a shell, at CARILLON_URL with CARILLON_TOKEN.
import { setTimeout as rest } from 'node:timers/promises';
import { z } from 'zod';
import { processEnvironment, Secret } from '../../platform/env.js';
import { inBatches } from '../../scheduler/accept/parse/in-batches.js';
import { callApi, refusalOf, type Api } from '../shell/call-api.js';
import { UsageError } from '../shell/usage-error.js';
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
  campaignId: z.string(),
  state: z.string(),
  detail: z.string().nullable().default(null),
  attention: z.object({ code: z.string(), text: z.string() }).nullable().default(null),
});
export type FollowedCampaign = z.output<typeof Campaign>;

export interface EventName {
  readonly source: string;
  readonly id: string;
  readonly serviceId?: string;
}

/** The most tries of one question, each pause twice as long as the last: it waits some 15 s for a scheduler that restarts. */
const TRIES = 6;
const FIRST_PAUSE_MS = 500;

/** The scheduler at CARILLON_URL. Throws UsageError where a variable is missing: `why`, what to set, `or` what to do instead. */
export function schedulerApi(why = '', or = ''): Api {
  const { CARILLON_URL: url, CARILLON_TOKEN: token } = processEnvironment();
  if (!url || !URL.canParse(url))
    throw new UsageError(`${why}set CARILLON_URL to it, such as http://127.0.0.1:8080${or}`);
  if (!token)
    throw new UsageError(`${why}set CARILLON_TOKEN, or CARILLON_TOKEN_FILE: a token with the role publisher`);
  return {
    name: 'the scheduler',
    variable: 'CARILLON_URL',
    url,
    token: new Secret(token),
    tokenVariable: 'CARILLON_TOKEN',
  };
}

export class SchedulerClient {
  constructor(private readonly api: Api) {}

  /** Throws UsageError where a variable is missing: `why`, and then what to set. */
  static fromEnvironment(why = ''): SchedulerClient {
    return new SchedulerClient(schedulerApi(why, why === '' ? ', or use --kafka' : ''));
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

  /** The warnings of a campaign's plan. */
  async warnings(campaign: string): Promise<z.output<typeof Problem>[]> {
    return (await this.#get(`/v1/campaigns/${campaign}/plan?limit=1`, Plan)).warnings;
  }

  /** A POST, or a GET where there is no body. Throws the answer where it is a refusal. */
  async call<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    body?: string,
  ): Promise<z.output<Schema>> {
    const content = body === undefined ? undefined : { type: 'application/json', body };
    const answer = await callApi(this.api, content === undefined ? 'GET' : 'POST', path, content);
    const plan = schema.safeParse(answer.json);
    if (!answer.ok || !plan.success) throw refusalOf(this.api, answer);
    return plan.data;
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
