import { describe, expect, it } from 'vitest';
import { ProjectGate } from '../push-client/blocks/project-gate.js';
import { ProjectQueue, type QueueSettings, type QueuedSend } from './project-queue.js';
import { FIRE_AHEAD_MS } from './leave-on-time.js';
import { takeInTurns } from './project-queues.js';

const NOW = Date.parse('2027-03-01T00:00:00Z');

const SETTINGS = { serviceId: 'shop-app', inFlight: 64, ratePerSecond: 100, weight: 1 };

let sends = 0;
const send = (seed: Partial<QueuedSend> = {}): QueuedSend => ({
  id: `send-${(sends += 1)}`,
  serviceId: 'shop-app',
  campaign: 'campaign',
  revision: 1,
  chunk: 0,
  mode: 'immediate',
  modeRule: 'DUE_NOW',
  scheduleCode: null,
  intendedAt: NOW,
  dueAt: NOW,
  attempts: 0,
  changes: 1,
  byHand: false,
  zone: 'UTC',
  isTest: false,
  at: NOW,
  ...seed,
});

const gateOf = (): ProjectGate => new ProjectGate('shop-app');

/** A queue with sends due at these offsets from now, and enough tokens. */
function queue(
  offsets: readonly number[],
  settings: Partial<QueueSettings> = {},
  gate = gateOf(),
): ProjectQueue {
  const made = new ProjectQueue({ ...SETTINGS, ...settings }, gate);
  gate.places.inFlight = made.settings.inFlight;
  for (const offset of offsets) made.due.push(send({ at: NOW + offset }));
  gate.tokens.due.add({ granted: 1_000, waitMs: 0 }, 0);
  return made;
}

describe('the next send of a queue', () => {
  it('is the earliest, and leaves FIRE_AHEAD_MS before it is due', () => {
    const some = queue([FIRE_AHEAD_MS + 1, FIRE_AHEAD_MS, -5]);
    expect([1, 2, 3].map(() => some.take(NOW, 0)?.at)).toEqual([NOW - 5, NOW + FIRE_AHEAD_MS, undefined]);
    expect(some.take(NOW + 1, 0)?.at).toBe(NOW + FIRE_AHEAD_MS + 1);
  });

  it('does not leave while as many are in flight as the project allows', () => {
    const some = queue([0, 0, 0], { inFlight: 2 });
    expect([1, 2, 3].map(() => some.take(NOW, 0) !== undefined)).toEqual([true, true, false]);
    some.gate.sendEnded(send().id, true);
    expect(some.take(NOW, 0)).toBeDefined();
  });

  it('makes the queue full if it is due and no place in flight is free', () => {
    const some = queue([0, FIRE_AHEAD_MS + 1], { inFlight: 1 });
    expect(some.isFull(NOW)).toBe(false);
    some.take(NOW, 0);
    expect([NOW, NOW + 1].map((now) => some.isFull(now))).toEqual([false, true]);
    some.gate.sendEnded(send().id, true);
    expect(some.isFull(NOW + 1)).toBe(false);
  });

  it('needs a token, and returns it if no call was made', () => {
    const some = new ProjectQueue(SETTINGS, gateOf());
    some.due.push(send());
    some.due.push(send());
    expect(some.take(NOW, 0)).toBeUndefined();
    some.gate.tokens.due.add({ granted: 1, waitMs: 0 }, 0);
    expect(some.take(NOW, 0)).toBeDefined();
    expect(some.take(NOW, 0)).toBeUndefined();
    some.gate.sendEnded(send().id, false);
    expect(some.take(NOW, 0)).toBeDefined();
  });
});

describe('a block', () => {
  const block = (until: number) => ({ code: 'QUOTA_EXCEEDED', until, detail: null });

  it('lets nothing leave, in this process for five seconds at most: the database has longer blocks', () => {
    const gate = gateOf();
    const some = queue([0], {}, gate);
    expect(gate.hold(block(Infinity), NOW)).toBe(true);
    expect([some.take(NOW + 4_999, 0), some.room(NOW, 0), some.tokensWanted(NOW, 0)]).toEqual([
      undefined,
      0,
      0,
    ]);
    expect(some.waitMs(NOW + 1_000, 0)).toBe(4_000);
    expect(some.take(NOW + 5_000, 0)).toBeDefined();
  });

  it('is reported as new once, however many answers say the same', () => {
    const gate = gateOf();
    const untils = [1_000, 1_010, 3_000, 30_000, 3_600_000, Infinity, Infinity];
    expect(untils.map((ms) => gate.hold(block(NOW + ms), NOW))).toEqual([
      true,
      false,
      true,
      true,
      true,
      true,
      false,
    ]);
  });

  it('of this process alone lasts as long as the caller says, and ends when the project goes on', () => {
    const gate = gateOf();
    const some = queue([0], {}, gate);
    gate.hold({ code: 'KEY_UNREADABLE', until: NOW + 60_000, detail: null }, NOW, 60_000);
    expect([some.take(NOW + 59_999, 0), some.room(NOW + 59_999, 0)]).toEqual([undefined, 0]);
    gate.goOn();
    expect(some.take(NOW, 0)).toBeDefined();
  });
});

describe('a circuit that is open', () => {
  const broken = (offsets: readonly number[]): ProjectQueue => {
    const some = queue(offsets);
    for (let call = 0; call < 5; call += 1) some.gate.circuit.ended('bad', 0);
    return some;
  };

  it('lets nothing leave and has no room for more, until its probe', () => {
    const some = broken([0]);
    expect([some.take(NOW, 0), some.room(NOW, 0), some.waitMs(NOW, 100)]).toEqual([undefined, 0, 400]);
  });

  it('is half open: it wants a good GET for a send that is due, then lets one send leave', () => {
    const some = broken([0, 0]);
    some.gate.tokens.due.add({ granted: 1, waitMs: 0 }, 500);
    expect([some.asksFirst(NOW, 499), some.asksFirst(NOW, 500), some.asksFirst(NOW, 500)]).toEqual([
      false,
      true,
      false,
    ]);
    expect([some.take(NOW, 500), some.waitMs(NOW, 500), some.tokensWanted(NOW, 500)]).toEqual([
      undefined,
      undefined,
      0,
    ]);
    some.gate.circuit.getAnswered('good', 510);
    expect([some.take(NOW, 510), some.take(NOW, 510)]).toEqual([expect.anything(), undefined]);
  });

  it('is half open: it wants no GET for a send that is not due', () => {
    expect(broken([FIRE_AHEAD_MS + 1]).asksFirst(NOW, 500)).toBe(false);
  });

  it('is half open: it has room for one send', () => {
    expect(broken([]).room(NOW, 500)).toBe(1);
    expect(broken([0]).room(NOW, 500)).toBe(0);
  });
});

describe('several queues', () => {
  const many = (name: string, count: number, weight: number): ProjectQueue => {
    const made = queue([], { weight });
    for (let chunk = 0; chunk < count; chunk += 1) made.due.push(send({ serviceId: name, chunk }));
    return made;
  };
  const order = (queues: readonly ProjectQueue[], most: number): string =>
    takeInTurns(queues, most, NOW, 0)
      .map(({ serviceId }) => serviceId)
      .join('');

  it('let as many sends of each leave in its turn as its weight, however many wait', () => {
    expect(order([many('a', 60, 3), many('b', 20, 1)], 12)).toBe('aaabaaabaaab');
    expect(order([many('b', 60, 1), many('a', 20, 3), many('c', 60, 2)], 12)).toBe('baaaccbaaacc');
  });

  it('pass over a queue that is empty, and end when all are', () => {
    expect(order([many('a', 4, 3), many('b', 3, 1)], 12)).toBe('aaababb');
  });
});

describe('the room of a queue', () => {
  it('is as many as can leave within a second, at least twice as many as may be in flight, within a bound', () => {
    expect(queue([], { ratePerSecond: 200 }).room(NOW, 0)).toBe(200);
    expect(queue([], { ratePerSecond: 10, inFlight: 50 }).room(NOW, 0)).toBe(100);
    expect(queue([], { ratePerSecond: 100_000 }).room(NOW, 0)).toBe(2_000);
    const some = queue([0, 1, 2], { ratePerSecond: 200 });
    expect(some.room(NOW, 0)).toBe(197);
    some.most = 10;
    expect(some.room(NOW, 0)).toBe(7);
    expect(some.wantsMore).toBe(true);
    some.most = 5;
    expect(some.wantsMore).toBe(false);
  });

  it('needs care while the queue has sends', () => {
    const some = queue([0]);
    expect(some.needsCare).toBe(true);
    some.take(NOW, 0);
    expect(some.needsCare).toBe(true);
    some.gate.sendEnded(send().id, true);
    expect(some.needsCare).toBe(false);
  });
});

describe('the tokens of a queue', () => {
  it('are asked for half a second before the first send, for a quarter of a second’s sends, and not twice', () => {
    const some = new ProjectQueue(SETTINGS, gateOf());
    for (let count = 0; count < 60; count += 1) some.due.push(send({ at: NOW + 600 }));
    expect([some.tokensWanted(NOW + 99, 0), some.tokensWanted(NOW + 100, 0)]).toEqual([0, 25]);
    some.gate.tokens.due.add({ granted: 25, waitMs: 0 }, 0);
    expect(some.tokensWanted(NOW + 100, 0)).toBe(0);
  });

  it('are not asked for before the rate has any again', () => {
    const some = new ProjectQueue(SETTINGS, gateOf());
    some.due.push(send());
    some.gate.tokens.due.add({ granted: 0, waitMs: 40 }, 0);
    expect([some.tokensWanted(NOW, 0), some.waitMs(NOW, 0), some.tokensWanted(NOW, 40)]).toEqual([0, 40, 1]);
  });
});
