// POST messages and GET result, requests a second, against the bare route: the same signature, the same bodies, the same
// connections, and a statement of its own for each request's row, where the service puts those side by side into one. Every
// POST has a body of its own, or the re-send rule would answer.
import { scheduler } from 'node:timers/promises';
import { z } from 'zod';
import { median, type Finding } from '../measure.js';
import { load } from './load.js';
import type { Stage } from './stage.js';

const ROUNDS = 5;
/** The requests of a run: some seconds. */
const REQUESTS = 8_000;
/** The requests of a run whose messages are sent as well. */
const IMMEDIATE = 2_000;
const CONNECTIONS = 64;
const FLOOR = 0.7;

const Answer = z.object({ requestId: z.string() });

export async function answerRequests(stage: Stage): Promise<Finding[]> {
  const ids: Record<Side, string[]> = { ours: [], bare: [] };
  // A year ahead: taking the message is all there is to do, as for the bare route.
  const reserved = { reserveTime: `${new Date().getUTCFullYear() + 1}-06-01 12:00`, reserveTimeZone: 'UTC' };
  return [
    await compare('POST messages, reserved', REQUESTS, (side) =>
      post(stage, side, ids, { count: REQUESTS, members: reserved }),
    ),
    await compare('POST messages, immediate, while the service also sends them', IMMEDIATE, (side) =>
      post(stage, side, ids, { count: IMMEDIATE, members: {} }),
    ),
    await compare('GET result', REQUESTS, (side) => get(stage, side, ids)),
  ];
}

type Side = 'ours' | 'bare';

async function compare(
  name: string,
  requests: number,
  perSecond: (side: Side) => Promise<number>,
): Promise<Finding> {
  const runs: Record<Side, number[]> = { ours: [], bare: [] };
  // The first round warms caches, plans and compilers on both sides.
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const side of ['ours', 'bare'] as const) {
      const rate = await perSecond(side);
      process.stderr.write(`${name}, round ${round}: ${side} ${Math.round(rate)}/s\n`);
      if (round >= 0) runs[side].push(Math.round(rate));
    }
  }
  return {
    name: `${name}, against a bare Fastify route with the same signature and a statement for the same row`,
    value: median(runs.ours) / median(runs.bare),
    unit: '×',
    bound: { kind: 'at least', value: FLOOR },
    detail: `requests/s, ${CONNECTIONS} connections, ${requests} a run: ours ${runs.ours.join(', ')}; bare ${runs.bare.join(', ')}`,
  };
}

let serial = 0;

async function post(
  stage: Stage,
  side: Side,
  ids: Record<Side, string[]>,
  { count, members }: { count: number; members: Readonly<Record<string, string>> },
): Promise<number> {
  const { perSecond, bodies } = await load({
    url: side === 'ours' ? stage.serviceUrl : stage.bareUrl,
    account: stage.account,
    connections: CONNECTIONS,
    count,
    method: 'POST',
    pathOf: () => 'messages',
    bodyOf: (index) =>
      JSON.stringify({
        target: { type: 'USER', to: [`user-${index}`] },
        message: { default: { content: `${side} ${(serial += 1)}` } },
        ...members,
      }),
    status: 202,
  });
  ids[side] = bodies.map((body) => Answer.parse(JSON.parse(body)).requestId);
  await untilSent(stage);
  return perSecond;
}

/** What the service still sends must not take from the bare route's time. */
async function untilSent({ sql }: Stage): Promise<void> {
  for (;;) {
    const { rows } = await sql.query(
      `select 1 from message where kind = 'immediate' and state not in ('FINISHED', 'FAIL') limit 1`,
    );
    if (rows.length === 0) return;
    await scheduler.wait(50);
  }
}

async function get(stage: Stage, side: Side, ids: Record<Side, readonly string[]>): Promise<number> {
  const { perSecond } = await load({
    url: side === 'ours' ? stage.serviceUrl : stage.bareUrl,
    account: stage.account,
    connections: CONNECTIONS,
    count: REQUESTS,
    method: 'GET',
    pathOf: (index) => `messages/${ids[side][index % ids[side].length] ?? ''}`,
    status: 200,
  });
  return perSecond;
}
