// Breakdowns are asked for after all other calls, page by page, and counted once, whichever process dies and whatever a gateway answers.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import type { Sql } from '../../../src/platform/database/database.js';
import { AskBreakdowns, type AskBreakdownsDeps } from '../../../src/scheduler/follow/ask-breakdowns.js';
import { rollUpAll } from '../../support/scheduler/rollers.js';
import { failure, Gateway, json, reset, type Answer } from '../../support/scheduler/gateway.js';
import { rigOf, type Rig } from '../../support/scheduler/rig.js';
import { SERVICE, START, World } from '../../support/scheduler/world.js';

const NOW = START + 60_000;
const DAY_MS = 86_400_000;

let world: World;
let gateway: Gateway;
let clock: SteppedClock;
let rig: Rig;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  gateway = await Gateway.open();
  await world.project({ base_url: gateway.url, rate_per_second: 1_000, extensions: ['result-breakdown'] });
  // As of a project that has been called before: its bucket is there, and full.
  await world.insert('project_pace', { service_id: SERVICE, rate: 1_000, tokens: 250, at: new Date() });
  clock = new SteppedClock(NOW);
  gateway.skewMs = NOW - Date.now();
  rig = rigOf(world, clock, { turns: { longestMs: 100, briefMs: 100 } });
});
afterEach(async () => {
  await rig.stop();
  await gateway.close();
});

const rows = <Row>(text: string, parameters: unknown[] = []): Promise<Row[]> =>
  world.dataSource.query<Row>(text, parameters);
const asker = (more: Partial<AskBreakdownsDeps> = {}): AskBreakdowns =>
  new AskBreakdowns({
    ...rig,
    sql: world.dataSource,
    clock,
    ...more,
  });

/** A send with a result, rolled up: its breakdown is due. */
async function ended(target = 10, sent = target): Promise<string> {
  const requestId = `r-${target}-${sent}`;
  const id = await world.send({ state: 'accepted', columns: { request_id: requestId } });
  await rows(
    `update send set state = $2, changes = changes + 1, state_at = $3, state_by = 'spec', target_count = $4, sent_count = $5
      where id = $1`,
    [id, sent > 0 ? 'sent' : 'failed', new Date(NOW), target, sent],
  );
  await rollUpAll(world.dataSource, { breakdownFrom: 1 });
  return id;
}
const group = (count: number, more: object = {}) => ({
  deviceType: 'GCM',
  country: 'KR',
  language: 'ko',
  timezone: 32_400,
  outcome: 'sent',
  reason: null,
  count,
  ...more,
});
const breakdown = (...groups: object[]): Answer => json(200, { requestId: 'r', breakdown: groups });
const sums = (): Promise<{ type: string; outcome: string; reason: string | null; devices: number }[]> =>
  rows(
    `select reported_device_type as type, outcome, reason, devices::int as devices from breakdown_rollup where outcome not in ('answered', 'named', 'absent') order by 1, 2, 3`,
  );
const waiting = (): Promise<{ asked: number; last_code: string | null; gap: number }[]> =>
  rows(
    `select asked, last_code, round(extract(epoch from next_at - $1))::int as gap from send_breakdown where reported is null order by send`,
    [new Date(clock.now())],
  );

it('records what the gateway says, and asks no more', async () => {
  await ended();
  gateway.answer = breakdown(group(6), group(1, { timezone: 0 }), group(3, { deviceType: 'APNS' }));
  expect(await asker().runOnce()).toBe(1);
  expect(await sums()).toEqual([
    { type: 'APNS', outcome: 'sent', reason: null, devices: 3 },
    { type: 'GCM', outcome: 'sent', reason: null, devices: 7 },
  ]);
  expect(await asker().runOnce()).toBe(0);
  expect(gateway.asked.map(({ path }) => path)).toEqual([
    '/push/v2/services/shop-app/messages/r-10-10/breakdown',
  ]);
  expect(await rows('select from send_breakdown')).toEqual([]);
});

it('reads page after page, to the one that is not full', async () => {
  await ended(2_500);
  const groups = Array.from({ length: 2_500 }, (_, timezone) => group(1, { timezone }));
  gateway.answer = (asked, response) => {
    const page = Number(new URL(asked.path, gateway.url).searchParams.get('pageIndex') ?? 0);
    return breakdown(...groups.slice(page * 1_000, (page + 1) * 1_000))(asked, response);
  };
  expect(await asker().runOnce()).toBe(1);
  expect(gateway.asked).toHaveLength(3);
  expect(await sums()).toMatchObject([{ devices: 2_500 }]);
});

it('ends with one that never comes to its last page', async () => {
  await ended(50_000);
  gateway.answer = breakdown(...Array.from({ length: 1_000 }, (_, timezone) => group(1, { timezone })));
  expect(await asker().runOnce()).toBe(1);
  expect(gateway.asked).toHaveLength(20);
  expect(await sums()).toEqual([
    { type: 'all', outcome: 'not-reported', reason: 'TOO_LONG', devices: 50_000 },
  ]);
});

it('gives up what the gateway knows no more, and says how much that is', async () => {
  await ended();
  gateway.answer = failure(404, '300');
  expect(await asker().runOnce()).toBe(1);
  expect(await sums()).toEqual([{ type: 'all', outcome: 'not-reported', reason: 'GONE', devices: 10 }]);
});

it('asks again what does not add up to the result, three times in all', async () => {
  await ended();
  gateway.answer = breakdown(group(9));
  for (const gap of [60, 120]) {
    await asker().runOnce();
    expect(await waiting()).toMatchObject([{ last_code: 'DIFFERS', gap }]);
    expect(await asker().runOnce()).toBe(0);
    clock.advance(gap * 1_000);
  }
  await asker().runOnce();
  expect(await sums()).toEqual([{ type: 'all', outcome: 'not-reported', reason: 'DIFFERS', devices: 10 }]);
  expect(gateway.asked).toHaveLength(3);
});

it.each([
  ['a connection that is reset', reset],
  ['a 500', failure(500, '900')],
  ['what is no breakdown', json(200, { breakdown: 'none' })],
])('asks again after %s, and of its project nobody else meanwhile', async (_, answer) => {
  await ended(10);
  await ended(11);
  gateway.answer = answer;
  expect(await asker().runOnce()).toBe(0);
  expect(gateway.asked).toHaveLength(1);
  expect((await waiting()).map(({ asked }) => asked)).toEqual([1, 0]);
});

it('gives up after a week of no clear answer', async () => {
  await ended();
  gateway.answer = failure(500, '900');
  await asker().runOnce();
  clock.advance(7 * DAY_MS);
  expect(await asker().runOnce()).toBe(1);
  expect(await sums()).toEqual([{ type: 'all', outcome: 'not-reported', reason: 'UNREAD', devices: 10 }]);
});

it('one project that does not answer delays no other', async () => {
  const other = await Gateway.open();
  other.skewMs = gateway.skewMs;
  await world
    .project({
      service_id: 'news-app',
      base_url: other.url,
      rate_per_second: 1_000,
      extensions: ['result-breakdown'],
    })
    .catch(() => undefined);
  await rows("update project_key set position = 1 where service_id = 'news-app'");
  await world.insert('project_pace', { service_id: 'news-app', rate: 1_000, tokens: 250, at: new Date() });
  await ended(10);
  await ended(11);
  await rows("update send_breakdown set service_id = 'news-app' where target = 11");
  gateway.answer = reset;
  other.answer = breakdown(group(11));
  expect(await asker().runOnce()).toBe(1);
  expect(await sums()).toMatchObject([{ devices: 11 }]);
  await other.close();
});

it('two processes ask about each send once', async () => {
  for (const target of [10, 11, 12, 13]) await ended(target);
  gateway.answer = (asked, response) =>
    breakdown(group(Number(/r-(\d+)-/.exec(asked.path)?.[1])))(asked, response);
  const counts = await Promise.all([asker().runOnce(), asker().runOnce()]);
  expect(counts[0] + counts[1]).toBe(4);
  expect(gateway.asked).toHaveLength(4);
});

describe('behind everybody else', () => {
  it('asks nothing of a project that is stopped, and goes on when it is started', async () => {
    await ended();
    gateway.answer = breakdown(group(10));
    await rows("update project set blocked_until = 'infinity', blocked_code = 'STOPPED'");
    rig.projects.forget();
    expect(await asker().runOnce()).toBe(0);
    expect(gateway.asked).toEqual([]);
    await rows('update project set blocked_until = null, blocked_code = null');
    rig.projects.forget();
    expect(await asker().runOnce()).toBe(1);
  });

  it('asks nothing while sends or polls want the places in flight', async () => {
    await ended();
    gateway.answer = breakdown(group(10));
    const places = rig.calls.blocks.gate(SERVICE).places;
    places.held(1);
    expect(await asker().runOnce()).toBe(0);
    places.held(-1);
    for (let sends = 0; sends < 64; sends += 1) places.sendLeft();
    expect(await asker().runOnce()).toBe(0);
    expect(gateway.asked).toEqual([]);
    places.sendEnded();
    expect(await asker().runOnce()).toBe(1);
    expect(places.isIdle).toBe(true);
  });

  it('asks nothing while three quarters of the bucket are not there', async () => {
    await ended();
    gateway.answer = breakdown(group(10));
    await rows('update project set rate_per_second = 4000');
    await rows(
      "update project_pace set rate = 4000, tokens = 700, at = clock_timestamp() + interval '1 hour'",
    );
    expect(await asker().runOnce()).toBe(0);
    expect(gateway.asked).toEqual([]);
  });

  it('asks a gateway that throttles it no more for a minute, so that sends are not throttled for it again', async () => {
    await ended(10);
    await ended(11);
    gateway.answer = failure(429, '410', { 'retry-after': '1' });
    const one = asker();
    expect(await one.runOnce()).toBe(0);
    expect(gateway.asked).toHaveLength(1);
    clock.advance(30_000);
    // The block is over, and there are tokens.
    await rows('update project_pace set tokens = 100, rate = 400, at = clock_timestamp()');
    gateway.answer = breakdown(group(10));
    rig.projects.forget();
    expect(await one.runOnce()).toBe(0);
    expect(gateway.asked).toHaveLength(1);
    // Another process has heard of it by the block alone, which is over.
    expect(await asker().runOnce()).toBe(1);
  });

  it('asks no more once it is to end', async () => {
    await ended();
    const stop = new AbortController();
    stop.abort();
    expect(await asker().runOnce(stop.signal)).toBe(0);
    expect(gateway.asked).toEqual([]);
  });
});

it.each([1, 2, 3, 4, 5])(
  'a process that dies before its statement %i leaves nothing out, and counts nothing twice',
  async (last) => {
    await ended(10);
    await ended(11);
    gateway.answer = (asked, response) =>
      breakdown(group(asked.path.includes('r-10-') ? 10 : 11))(asked, response);
    let statements = 0;
    const sql: Sql = {
      query: (text, parameters) => {
        statements += 1;
        if (statements >= last) return Promise.reject(new Error('the process died'));
        return world.dataSource.query(text, parameters);
      },
    };
    await asker({ sql })
      .runOnce()
      .catch(() => undefined);
    // What it had taken is anybody's after five minutes.
    clock.advance(5 * 60_000);
    while ((await asker().runOnce()) > 0);
    expect((await sums()).map(({ devices }) => devices).toSorted((a, b) => a - b)).toEqual([10, 11]);
    expect(await rows('select from send_breakdown')).toEqual([]);
  },
);
