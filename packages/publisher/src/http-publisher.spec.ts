// Against a server that gives planned answers, one for each request; what a real scheduler says stands in
// test/journey/publisher.spec.ts.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { audience } from './audience.js';
import { CampaignEvents } from './campaign-events.js';
import type { CanceledEvent, ScheduledEvent } from './contract.js';
import { delivery } from './delivery.js';
import { HttpPublisher, type HttpPublisherOptions } from './http-publisher.js';
import { EventsRefused } from './published.js';

interface PlannedAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}
interface Asked {
  readonly type: string | undefined;
  readonly bearer: string | undefined;
  readonly events: number;
}

let server: Server;
let answers: PlannedAnswer[];
let asked: Asked[];

beforeEach(async () => {
  [answers, asked] = [[], []];
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as unknown;
      const { authorization: bearer, 'content-type': type } = request.headers;
      asked.push({ type, bearer, events: [body].flat().length });
      const { status, body: answered, headers = {} } = answers.shift() ?? { status: 418 };
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(answered ?? {}));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const http = (options: HttpPublisherOptions = {}): HttpPublisher =>
  new HttpPublisher({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: 'secret',
    ...options,
  });

const events = new CampaignEvents({ source: '/shop/promotions', serviceId: 'shop-app' });
const campaign = (campaignId = 'spring'): ScheduledEvent =>
  events.scheduled(campaignId, {
    audience: audience.everybody(),
    message: { default: { content: 'Hello' } },
    delivery: delivery.now(),
  });

const verdict = (index: number) => ({
  index,
  verdict: 'accepted',
  eventId: `e${index}`,
  campaignId: `c${index}`,
});
const accepted = (count: number): PlannedAnswer => ({
  status: 202,
  body: { events: Array.from({ length: count }, (_, index) => verdict(index)) },
});

describe('publishing over HTTP', () => {
  it('sends one as an event, several as a batch, with the token', async () => {
    answers = [accepted(1), accepted(2)];
    await expect(http().publish(campaign())).resolves.toMatchObject({
      verdict: 'accepted',
      campaignId: 'c0',
    });
    await expect(http().publish([campaign('a'), campaign('b')])).resolves.toHaveLength(2);
    expect(asked).toEqual([
      { type: 'application/cloudevents+json', bearer: 'Bearer secret', events: 1 },
      { type: 'application/cloudevents-batch+json', bearer: 'Bearer secret', events: 2 },
    ]);
  });

  it('asks for a token each time it tries', async () => {
    answers = [{ status: 503 }, accepted(1)];
    let tokens = 0;
    await http({ token: () => `t${(tokens += 1)}` }).publish(campaign());
    expect(asked.map(({ bearer }) => bearer)).toEqual(['Bearer t1', 'Bearer t2']);
  });

  it('rests for what Retry-After asks, and gives up where that is longer than its patience', async () => {
    answers = [{ status: 429, headers: { 'retry-after': '1' } }, accepted(1)];
    const began = performance.now();
    await http().publish(campaign());
    expect(performance.now() - began).toBeGreaterThanOrEqual(990);
    answers = [
      { status: 503, headers: { 'retry-after': '3600' }, body: { code: 'NOT_READY', detail: 'later' } },
    ];
    await expect(http().publish(campaign())).rejects.toMatchObject({
      name: 'PublishError',
      code: 'NOT_READY',
      message: 'later',
      details: { status: 503 },
    });
  });

  it.each([
    [401, 'UNAUTHENTICATED'],
    [403, 'FORBIDDEN'],
    [409, 'PLAN_CHANGED'],
    [413, 'TOO_LARGE'],
  ])('does not try %d again, and says its code', async (status, code) => {
    answers = [{ status, body: { code, detail: 'why' } }];
    await expect(http().publish(campaign())).rejects.toMatchObject({ code, details: { status } });
    expect(asked).toHaveLength(1);
  });

  it('follows no redirect with its token', async () => {
    answers = [{ status: 307, headers: { location: '/elsewhere' } }];
    await expect(http().publish(campaign())).rejects.toMatchObject({ code: 'HTTP_307' });
    expect(asked).toHaveLength(1);
  });

  it('reads the reasons of a 422', async () => {
    const problems = [{ pointer: '/data/serviceId', code: 'UNKNOWN_SERVICE', text: 'is not known' }];
    const body = {
      code: 'NOTHING_TAKEN',
      events: [{ index: 0, verdict: 'rejected', eventId: 'e', rejectionId: 'r', problems }],
    };
    answers = [{ status: 422, body }];
    const event = campaign();
    const refused = await http()
      .publish(event)
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(EventsRefused);
    expect(refused).toMatchObject({
      refused: [{ event, refusedBy: 'intake', rejectionId: 'r', problems }],
      message: expect.stringContaining('/data/serviceId is not known (UNKNOWN_SERVICE)') as unknown,
    });
  });

  it('says what had a verdict before an answer that gives none', async () => {
    answers = [accepted(500), { status: 401, body: { code: 'UNAUTHENTICATED' } }];
    const many = Array.from({ length: 501 }, (_, index) => campaign(`many-${index}`));
    const error: unknown = await http({ check: false })
      .publish(many)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'UNAUTHENTICATED', details: { published: { length: 500 } } });
    expect(asked.map(({ events: count }) => count)).toEqual([500, 1]);
  });

  it('sends nothing where nothing is right, and nothing where nothing is given', async () => {
    const wrong = { ...campaign(), subject: 'not a campaignId' } satisfies ScheduledEvent;
    await expect(http().publish(wrong)).rejects.toMatchObject({ refused: [{ refusedBy: 'check' }] });
    await expect(http().publish([])).resolves.toEqual([]);
    expect(asked).toEqual([]);
  });

  it('stops waiting when its signal is aborted, with the reason', async () => {
    answers = [{ status: 503, headers: { 'retry-after': '30' } }];
    const event: CanceledEvent = events.canceled('spring');
    const stop = new AbortController();
    server.once('request', () => setImmediate(() => stop.abort(new Error('the shop closes'))));
    const failed: unknown = await http()
      .publish(event, { signal: stop.signal })
      .catch((error: unknown) => error);
    expect(String((failed as Error).cause ?? failed)).toContain('the shop closes');
  });

  it.each<[HttpPublisherOptions, string]>([
    [{ url: 'carillon' }, 'CARILLON_URL'],
    [{ token: '' }, 'CARILLON_TOKEN'],
  ])('says at once what is missing of %o', (options, named) => {
    expect(() => http(options)).toThrow(named);
  });
});
