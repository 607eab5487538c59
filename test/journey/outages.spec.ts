// PostgreSQL, Kafka and the push service each go away for a while under load: the others stay up, say so, and go on where they were.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, throughout } from '../support/eventually.js';
import { testLength } from '../support/lengths.js';
import { DEVICES, SERVICE, Stage } from './stage.js';

const AWAY_MS = 1_000 * testLength('OUTAGE_SECONDS', { normal: 3, long: 20 });
const PER_OUTAGE = 5;

let stage: Stage;
const published: string[] = [];

beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(async () => {
  await stage.close();
});

async function publish(way: 'kafka' | 'http'): Promise<string[]> {
  const ids = await stage.publish(PER_OUTAGE, way);
  published.push(...ids);
  return ids;
}

/** The pids of both services: one that was restarted behind our back would have another. */
function pids(): number[] {
  const { scheduler, pushService } = stage.house.services;
  return [scheduler.pid, pushService.pid];
}

describe('during an outage of', () => {
  it('PostgreSQL: both services say so, and what was published meanwhile goes out', async () => {
    const { postgres, scheduler } = stage.house.services;
    const before = pids();
    process.kill(postgres.pid, 'SIGINT');
    await eventually(async () => expect((await stage.readiness(scheduler.url)).status).toBe(503));
    await eventually(async () =>
      expect((await stage.readiness(stage.house.services.managementUrl)).status).toBe(503),
    );
    const ids = await publish('kafka');
    await throughout(AWAY_MS, async () => expect((await stage.readiness(scheduler.url)).status).toBe(503));
    await postgres.restart();
    await stage.eachSendIs(ids, 'sent');
    await eventually(async () => expect((await stage.readiness(scheduler.url)).status).toBe(200));
    expect(pids()).toEqual(before);
    expect([scheduler.end, stage.house.services.pushService.end]).toEqual([undefined, undefined]);
  }, 180_000);

  it('Kafka: events still come over HTTP, and Kafka’s are taken once it is back', async () => {
    const { kafka, scheduler } = stage.house.services;
    if (kafka === undefined) throw new Error('this journey needs a broker of its own: unset KAFKA_BROKERS');
    const before = pids();
    process.kill(kafka.pid, 'SIGKILL');
    await eventually(async () => expect((await stage.readiness(scheduler.url)).text).toContain('kafka'));
    await stage.eachSendIs(await publish('http'), 'sent');
    await throughout(AWAY_MS, async () =>
      expect((await stage.readiness(scheduler.url)).text).toContain('kafka'),
    );
    await kafka.restart();
    await stage.eachSendIs(await publish('kafka'), 'sent', 90_000);
    expect(pids()).toEqual(before);
  }, 240_000);

  it('the push service: sends wait and go out, none of them twice', async () => {
    const { pushService, scheduler } = stage.house.services;
    await pushService.stop();
    const ids = await publish('kafka');
    await stage.eachSendIs(ids, 'planned');
    await eventually(async () => expect((await stage.readiness(scheduler.url)).text).toMatch(/push/i));
    await throughout(AWAY_MS, () => stage.eachSendIs(ids, 'planned'));
    await pushService.start();
    await stage.eachSendIs(ids, 'sent', 90_000);
    expect(scheduler.end).toBeUndefined();
  }, 180_000);

  it('and in the end every device got each message once, and the ledger balances', async () => {
    for (const campaignId of published) {
      const [send] = await stage.sends(campaignId);
      expect(await stage.management.deliveredTo(send?.requestId ?? '')).toEqual(DEVICES);
    }
    expect(await stage.management.requestsTaken(SERVICE)).toHaveLength(published.length);
    expect(await stage.ledger()).toEqual({ balanced: true, missing: [], campaigns: published.length });
  });
});
