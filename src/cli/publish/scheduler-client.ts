// The scheduler's API as a publisher calls it from a shell: at CARILLON_URL with CARILLON_TOKEN.
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
const Campaign = z.object({
  campaignId: z.string(),
  state: z.string(),
  detail: z
    .string()
    .nullish()
    .transform((text) => text ?? null),
});

export class SchedulerClient {
  constructor(private readonly api: Api) {}

  static fromEnvironment(): SchedulerClient {
    const { CARILLON_URL: url, CARILLON_TOKEN: token } = processEnvironment();
    if (!url || !URL.canParse(url)) {
      throw new UsageError(
        'set CARILLON_URL to the scheduler, such as http://127.0.0.1:8080, or use --kafka',
      );
    }
    if (!token)
      throw new UsageError('set CARILLON_TOKEN, or CARILLON_TOKEN_FILE: a token with the role publisher');
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

  async campaign(id: string): Promise<z.output<typeof Campaign>> {
    const answer = await callApi(this.api, 'GET', `/v1/campaigns/${id}`);
    const campaign = Campaign.safeParse(answer.json);
    if (!campaign.success) throw refusalOf(this.api, answer);
    return campaign.data;
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
