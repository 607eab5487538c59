// The scheduler's API as a publisher calls it from a shell: at CARILLON_URL with CARILLON_TOKEN.
import { setTimeout as rest } from 'node:timers/promises';
import { z } from 'zod';
import { processEnvironment, Secret } from '../../platform/env.js';
import { callApi, refusalOf, type Api } from '../call-api.js';
import { UsageError } from '../usage-error.js';
import type { EventJson } from './read-events.js';

/** Of a request: below the 1 000 events and 16 MiB that are taken. */
const MOST = { events: 500, bytes: 8 * 1024 * 1024 };

const Problem = z.object({ pointer: z.string(), code: z.string(), text: z.string() });
const Published = z.object({
  index: z.number(),
  id: z.string().nullable(),
  verdict: z.enum(['accepted', 'duplicate', 'rejected']),
  campaignId: z.string().nullish(),
  rejectionId: z.string().optional(),
  problems: z.array(Problem).optional(),
  warnings: z.array(Problem).nullish(),
});
export type PublishedEvent = z.output<typeof Published>;
const Verdicts = z.object({ events: z.array(Published) });
const Seen = z.object({
  seen: z.array(
    z.object({
      verdict: z.enum(['accepted', 'duplicate', 'rejected']),
      eventId: z.string(),
      campaignId: z.string().nullish(),
      rejectionId: z.string().optional(),
      problems: z.array(Problem).optional(),
    }),
  ),
});
export type SeenEvent = z.output<typeof Seen>['seen'][number];
const Plan = z.object({ warnings: z.array(Problem).default([]) });
const Campaign = z.object({
  campaignId: z.string(),
  state: z.string(),
  detail: z
    .string()
    .nullish()
    .transform((text) => text ?? null),
  attention: z
    .object({ code: z.string(), text: z.string() })
    .nullish()
    .transform((one) => one ?? null),
});
export type FollowedCampaign = z.output<typeof Campaign>;

/** Of a question, in a row and further apart each time: a scheduler that is started anew is waited for, some 15 s. */
const TRIES = 6;
const FIRST_PAUSE_MS = 500;

export class SchedulerClient {
  constructor(private readonly api: Api) {}

  /** `why` stands before what is to be set, where something is missing. */
  static fromEnvironment(why = ''): SchedulerClient {
    const { CARILLON_URL: url, CARILLON_TOKEN: token } = processEnvironment();
    if (!url || !URL.canParse(url)) {
      const or = why === '' ? ', or use --kafka' : '';
      throw new UsageError(`${why}set CARILLON_URL to it, such as http://127.0.0.1:8080${or}`);
    }
    if (!token)
      throw new UsageError(
        `${why}set CARILLON_TOKEN, or CARILLON_TOKEN_FILE: a token with the role publisher`,
      );
    return new SchedulerClient({
      name: 'the scheduler',
      variable: 'CARILLON_URL',
      url,
      token: new Secret(token),
    });
  }

  /** In the order of `events`, whose index each names. Throws what is no verdict. */
  async publish(events: readonly EventJson[]): Promise<PublishedEvent[]> {
    const published: PublishedEvent[] = [];
    for (const texts of inRequests(events.map((event) => JSON.stringify(event)))) {
      // A single one is told when its plan has changed.
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

  /** What its plan warns of. */
  async warnings(campaign: string): Promise<z.output<typeof Problem>[]> {
    return (await this.#get(`/v1/campaigns/${campaign}/plan?limit=1`, Plan)).warnings;
  }

  /** Each time that an event of this name came, newest first. */
  async seen({ source, id }: { readonly source: string; readonly id: string }): Promise<SeenEvent[]> {
    const { seen } = await this.#get(`/v1/events?${new URLSearchParams({ source, id }).toString()}`, Seen);
    return seen;
  }

  /** Asked again where nobody answers, or not now: a question changes nothing. */
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

function inRequests(texts: readonly string[]): string[][] {
  const requests: string[][] = [];
  let bytes = 0;
  for (const text of texts) {
    const open = requests.at(-1);
    const length = Buffer.byteLength(text);
    bytes += length;
    if (open === undefined || open.length === MOST.events || bytes > MOST.bytes) {
      requests.push([text]);
      bytes = length;
    } else open.push(text);
  }
  return requests;
}
