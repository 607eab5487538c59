// The trace of an event, through both services with nothing exported: in the request to the push service, the log lines of
// both and the outcomes that are published.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { TracedServices } from './traced-services.js';

const newTrace = (): { traceId: string; spanId: string; traceparent: string } => {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-01` };
};

let world: TracedServices;
beforeAll(async () => {
  world = await TracedServices.open();
});
afterAll(() => world.close());

type Trace = ReturnType<typeof newTrace>;

/** What carried the campaign's trace, once both services have said what they had to say of it. */
async function carried(campaignId: string, { traceId, spanId }: Trace): Promise<unknown> {
  const outcomes = await world.outcomesOf(campaignId);
  const kept = await world.keptAtPush(campaignId);
  await eventually(() => {
    if (!world.said('push', traceId).includes('request'))
      throw new Error('the push service has not logged it');
  });
  const said = new Set(world.said('scheduler', traceId));
  return {
    outcomes: new Set(
      outcomes.map(({ traceparent, tracestate }) => [traceparent, tracestate ?? 'none'].join(' ')),
    ),
    atPush: kept.map((trace) => [
      trace?.traceparent.replace(/-[0-9a-f]{16}-/, (span) =>
        span === `-${spanId}-` ? span : '-of its own-',
      ),
      trace?.tracestate ?? 'none',
    ]),
    lines: ['an event was taken', 'a campaign was looked at', 'a send was answered'].filter((text) =>
      said.has(text),
    ),
  };
}

/** In the outcomes as it came, in the one request below a span of its own, and in the log from the event to the answer. */
const everywhere = ({ traceId, traceparent }: Trace, tracestate = 'none'): unknown => ({
  outcomes: new Set([`${traceparent} ${tracestate}`]),
  atPush: [[`00-${traceId}-of its own-01`, tracestate]],
  lines: ['an event was taken', 'a campaign was looked at', 'a send was answered'],
});

describe('the trace of an event', () => {
  it('over HTTP, in its attributes, goes through to the push service, the logs and the outcomes', async () => {
    const trace = newTrace();
    const event = world.event({ traceparent: trace.traceparent, tracestate: 'congo=t61rcWkgMzE' });
    expect(await world.viaHttp(event)).toMatchObject({ status: 202 });
    expect(await carried(event.subject, trace)).toEqual(everywhere(trace, 'congo=t61rcWkgMzE'));
  });

  it('over HTTP, in the headers of the request, is that of each event of a batch that names none', async () => {
    const [ofRequest, own] = [newTrace(), newTrace()];
    const [first, second] = [world.event(), world.event({ traceparent: own.traceparent })];
    const { traceparent } = ofRequest;
    const answer = await world.viaHttp([first, second], { traceparent, tracestate: 'a=1' });
    expect(answer).toMatchObject({ status: 202 });
    expect(await carried(first.subject, ofRequest)).toEqual(everywhere(ofRequest, 'a=1'));
    expect(await carried(second.subject, own)).toEqual(everywhere(own));
    expect(world.said('scheduler', ofRequest.traceId)).toContain('request');
  });

  it.each(['traceparent', 'ce_traceparent'])(
    'over Kafka, in the header %s, goes the same way',
    async (name) => {
      const trace = newTrace();
      const event = world.event();
      const headers = { 'content-type': 'application/cloudevents+json', [name]: trace.traceparent };
      await world.viaKafka(event, headers);
      expect(await carried(event.subject, trace)).toEqual(everywhere(trace));
    },
  );

  it('over Kafka in the binary form is its attribute, which comes before the header of the last hop', async () => {
    const trace = newTrace();
    const { data, ...attributes } = world.event({ traceparent: trace.traceparent });
    const headers = Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [
        name === 'datacontenttype' ? 'content-type' : `ce_${name}`,
        String(value),
      ]),
    );
    await world.viaKafka(data as Record<string, unknown>, {
      ...headers,
      traceparent: newTrace().traceparent,
    });
    expect(await carried(attributes.subject, trace)).toEqual(everywhere(trace));
  });

  it('that is not valid counts as none: the event is taken, and nothing carries a trace', async () => {
    const event = world.event({ traceparent: '00-XYZ', tracestate: 7 });
    const answer = await world.viaHttp(event, { traceparent: 'nonsense' });
    const warning = {
      code: 'INVALID_TRACEPARENT',
      pointer: '',
      text: 'the attribute traceparent, "00-XYZ", is none of W3C Trace Context: it counts as none',
    };
    expect(answer).toMatchObject({
      status: 202,
      body: { events: [{ verdict: 'accepted', warnings: [warning] }] },
    });
    const [planned] = (await world.outcomesOf(event.subject)).filter(({ type }) =>
      type.includes('campaign.planned'),
    );
    expect(planned?.['data']).toMatchObject({ warnings: [warning] });
    for (const outcome of await world.outcomesOf(event.subject)) {
      expect(outcome).not.toHaveProperty('traceparent');
      expect(outcome).not.toHaveProperty('tracestate');
    }
    expect(await world.keptAtPush(event.subject)).toEqual([null]);

    // Nothing is logged about a header that is none: it may be the last hop's.
    const another = await world.viaHttp(world.event(), { traceparent: 'nonsense' });
    expect(another).toMatchObject({ status: 202, body: { events: [{ warnings: [] }] } });
  });

  it('is in the dead letter of one that is refused, and in its replay', async () => {
    const { traceparent, traceId } = newTrace();
    const event = { ...world.event(), data: { serviceId: world.push.serviceId } };
    const answer = await world.viaHttp(event, { traceparent });
    expect(answer.status).toBe(422);
    const [letter] = await world.scheduler.dataSource.query<{ value: Buffer }>(
      `select value from outbox where value like $1`,
      [Buffer.from(`%${event.subject}%`)],
    );
    expect(JSON.parse(String(letter?.value))).toMatchObject({ traceparent });
    const [{ rejectionId } = { rejectionId: '' }] = (answer.body as { events: { rejectionId: string }[] })
      .events;
    await world.scheduler.call('POST', `/v1/rejections/${rejectionId}/replay`, {
      authorization: await world.scheduler.bearer(['operator', 'publisher']),
      headers: { 'idempotency-key': rejectionId },
    });
    expect(world.said('scheduler', traceId).filter((text) => text === 'an event was taken')).toHaveLength(2);
  });
});
