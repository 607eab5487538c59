// What an administrator reads off a running push service: its metrics; and what a request may cost its database.
import { Client as Postgres } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  finalResult,
  message,
  openStage,
  refusal,
  send,
  type Stage,
} from '../../contract/push-service/support/stage.js';
import type { Client } from '../../contract/push-service/support/client.js';
import { eventually } from '../../support/eventually.js';

let stage: Stage;
let client: Client;

beforeAll(async () => {
  stage = await openStage();
  client = await stage.project();
});

afterAll(() => stage.close());

/** By name and labels, as they are written. */
async function metrics(): Promise<Record<string, number>> {
  const text = await (await fetch(stage.target.metricsUrl ?? '')).text();
  const lines = text.split('\n').filter((line) => line.startsWith('carillon_'));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  );
}

/** While somebody else has the table. */
async function locking<Result>(table: string, mode: string, work: () => Promise<Result>): Promise<Result> {
  const holder = new Postgres({ connectionString: stage.target.databaseUrl, options: '-c search_path=push' });
  await holder.connect();
  try {
    await holder.query(`begin; lock table ${table} in ${mode} mode`);
    return await work();
  } finally {
    await holder.end();
  }
}

describe('/metrics', () => {
  it('counts messages taken, devices by outcome and the provider’s answers by code', async () => {
    expect(new URL(stage.target.metricsUrl ?? '').hostname).toBe('127.0.0.1');
    for (const deviceToken of ['fine-1', 'fine-2', 'fail-1', 'gone-1'])
      await client.register({ deviceToken });
    await finalResult(client, await send(client, message()));
    await send(client, message({ reserveTime: '2099-01-01 00:00' }));
    const again = { ...message(), unique: 'once' };
    for (const _ of [1, 2]) await client.post('messages', again, { headers: { 'idempotency-key': 'k' } });
    const seen = await metrics();
    expect(seen).toMatchObject({
      [`carillon_push_messages_taken_total{service="${client.serviceId}",kind="immediate"}`]: 2,
      [`carillon_push_messages_taken_total{service="${client.serviceId}",kind="reserved"}`]: 1,
      'carillon_push_devices_total{provider="sandbox",outcome="gone"}': 1,
      'carillon_push_provider_answers_total{provider="sandbox",code="UNREGISTERED"}': 1,
      carillon_ready: 1,
      'carillon_health_check{check="database"}': 1,
      'carillon_loop_ok{loop="fire"}': 1,
    });
    expect(seen['carillon_push_provider_answers_total{provider="sandbox",code="OK"}']).toBeGreaterThanOrEqual(
      2,
    );
    expect(seen['carillon_push_devices_total{provider="sandbox",outcome="failed"}']).toBeGreaterThanOrEqual(
      1,
    );
  });

  it('shows how long the first has waited, stage by stage', async () => {
    const age = async (stageName: string) =>
      (await metrics())[`carillon_push_queue_age_seconds{stage="${stageName}"}`];
    expect(await Promise.all(['fire', 'expand', 'deliver'].map(age))).toEqual([0, 0, 0]);
    const requestId = await locking('fan_out_chunk', 'exclusive', async () => {
      const id = await send(client, message());
      await eventually(async () => expect(await age('expand')).toBeGreaterThan(0.2));
      expect(await age('deliver')).toBe(0);
      return id;
    });
    await finalResult(client, requestId);
    expect(await age('expand')).toBe(0);
  });
});

describe('a statement of a request', () => {
  it('ends after 12 s, and says nothing about what became of it', async () => {
    await locking('push_user', 'access exclusive', async () => {
      const begun = performance.now();
      const answer = await client.get('users/anybody');
      const seconds = (performance.now() - begun) / 1_000;
      expect(refusal(answer).slice(0, 2)).toEqual([504, '510']);
      expect(seconds).toBeGreaterThan(11);
      expect(seconds).toBeLessThan(15);
    });
    expect((await client.get('users/anybody')).status).toBe(404);
  });
});
