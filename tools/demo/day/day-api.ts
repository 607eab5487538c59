// The scheduler as the people of the tour use it: a publisher, who uploads the list, and an operator, who looks, approves and pauses.
import { z } from 'zod';
import type { Endpoints } from '../../endpoints.js';
import { callWithToken } from '../push-client.js';
import { LIST, listAsCsv, SERVICE_ID } from './travellers.js';

const instant = z.iso.datetime().transform((text) => Date.parse(text));

const Campaigns = z.object({
  items: z.array(z.object({ id: z.string(), campaignId: z.string(), state: z.string() })),
});
const Revisions = z.object({ revisions: z.array(z.object({ revision: z.number(), hash: z.string() })) });

const Verdict = z.object({ kind: z.string(), to: instant.nullish() });
const Plan = z.object({
  items: z.array(
    z.object({
      zone: z.string(),
      dueAt: instant.nullable(),
      skipped: z.string().nullable(),
      local: z
        .object({
          asked: z.string().nullable(),
          reading: z.object({ date: z.string(), time: z.string(), offset: z.string() }),
        })
        .nullable(),
      verdicts: z.object({ dst: z.string(), passedZone: Verdict, night: Verdict }),
    }),
  ),
});
export type DayCell = z.output<typeof Plan>['items'][number];

const Sends = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      zone: z.string().nullable(),
      state: z.string(),
      code: z.string().nullable(),
      newest: z.boolean(),
      dueAt: instant.nullable(),
      requestId: z.string().nullable(),
    }),
  ),
});
export type DaySend = z.output<typeof Sends>['items'][number];

const Uploaded = z.object({ rows: z.number(), byZone: z.array(z.unknown()) });
const Previewed = z.object({ preview: z.record(z.string(), z.unknown()) });

export class DayApi {
  constructor(private readonly endpoints: Pick<Endpoints, 'schedulerUrl' | 'tokens'>) {}

  async uploadList(): Promise<z.output<typeof Uploaded>> {
    const { schedulerUrl, tokens } = this.endpoints;
    const answer = await fetch(new URL(`/v1/audiences/${LIST}?serviceId=${SERVICE_ID}`, schedulerUrl), {
      method: 'PUT',
      headers: { authorization: `Bearer ${tokens.publisher}`, 'content-type': 'text/csv' },
      body: listAsCsv(),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`the upload of the list was answered ${answer.status}: ${text}`);
    return Uploaded.parse(JSON.parse(text));
  }

  /** State and our id of each campaign, by the publisher's id. */
  async campaigns(): Promise<ReadonlyMap<string, { id: string; state: string }>> {
    const { items } = Campaigns.parse(await this.get(`/v1/campaigns?serviceId=${SERVICE_ID}&limit=100`));
    return new Map(items.map(({ campaignId, id, state }) => [campaignId, { id, state }]));
  }

  async cells(campaign: string): Promise<DayCell[]> {
    return Plan.parse(await this.get(`/v1/campaigns/${campaign}/plan?limit=100`)).items;
  }

  async sends(campaign: string): Promise<DaySend[]> {
    return Sends.parse(await this.get(`/v1/campaigns/${campaign}/sends?limit=100`)).items;
  }

  /** Approves what stands there now, as somebody who looked at its plan. */
  async approve(campaign: string): Promise<void> {
    const { revisions } = Revisions.parse(await this.get(`/v1/campaigns/${campaign}`));
    const newest = revisions.reduce((one, other) => (other.revision > one.revision ? other : one));
    await this.#post(`/v1/campaigns/${campaign}/approve`, newest);
  }

  /** What the act would do, as the API counts it. */
  async previewAct(campaign: string, act: 'pause' | 'resume'): Promise<Record<string, unknown>> {
    const path = `/v1/campaigns/${campaign}/${act}?preview=true`;
    return Previewed.parse(await this.#post(path)).preview;
  }

  async act(campaign: string, act: 'pause' | 'resume', reason: string): Promise<void> {
    await this.#post(`/v1/campaigns/${campaign}/${act}`, { reason });
  }

  get(path: string): Promise<unknown> {
    return callWithToken(this.#operator, 'GET', path);
  }

  #post(path: string, body?: unknown): Promise<unknown> {
    return callWithToken(this.#operator, 'POST', path, body);
  }

  get #operator() {
    return { url: this.endpoints.schedulerUrl, token: this.endpoints.tokens.operator };
  }
}
