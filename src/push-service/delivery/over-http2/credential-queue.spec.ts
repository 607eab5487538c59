// Whose turn it is under one credential, and what becomes of those who have none. A spec's own sender stands for the provider.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SteppedClock } from '../../../platform/clock.js';
import type { Job, Outcome, Target, DeliveryCallbacks } from '../provider-port.js';
import { CredentialQueue } from './credential-queue.js';
import { TAKEN, type JudgedAnswer } from './judged-answer.js';
import { Traffic } from './traffic.js';

const clock = new SteppedClock('2027-03-01T00:00:00Z');
let traffic: Traffic;
let queue: CredentialQueue;
/** Tokens in the order they were sent, and what answers each. */
let sent: { readonly token: string; readonly answer: (judged: JudgedAnswer) => void }[];

beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
  traffic = new Traffic({ clock, pool: { most: 100, restMs: 0 } });
  queue = new CredentialQueue({
    clock,
    traffic,
    abortMs: 1_000,
    known: (_job, { token }) => (token.startsWith('known') ? FAILED : undefined),
    send: (_job, { token }) => new Promise((answer) => sent.push({ token, answer })),
  });
});
afterEach(() => vi.useRealTimers());

const SENT: Outcome = { kind: 'sent' };
const FAILED: Outcome = { kind: 'failed', reason: 'REFUSED' };
const JOB = { firingId: '71' } as Job;
const targetsOf = (count: number, name: string): Target[] =>
  Array.from({ length: count }, (_, place) => ({
    place,
    deviceId: String(place),
    token: `${name}${place}`,
    variant: 0,
  }));

/** The outcomes of each place, as it becomes known. */
function deliver(targets: readonly Target[], more: Partial<DeliveryCallbacks> = {}) {
  const outcomes: Outcome[] = [];
  const { signal } = new AbortController();
  const ended = queue.deliver(JOB, targets, {
    signal,
    report: (place, outcome) => void (outcomes[place] = outcome),
    ...more,
  });
  return { outcomes, ended };
}
const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
const sentOf = (name: string): number => sent.filter(({ token }) => token.startsWith(name)).length;

/** A window of fifty, and room for all of it. */
async function grow(): Promise<void> {
  const { ended } = deliver(targetsOf(1, 'first'));
  await pass(0);
  sent.splice(0)[0]?.answer(TAKEN);
  await ended;
  await pass(100);
}

it('gives who came first half of the room, and those behind the rest', async () => {
  await grow();
  void deliver(targetsOf(60, 'before'));
  expect(sentOf('before')).toBe(50);
  for (const { answer } of sent.splice(0)) answer(TAKEN);
  void deliver(targetsOf(1_000, 'big'));
  const small = deliver(targetsOf(1, 'small'));
  await pass(100);
  expect([sentOf('before'), sentOf('big'), sentOf('small')]).toEqual([10, 39, 1]);
  sent.find(({ token }) => token === 'small0')?.answer(TAKEN);
  await small.ended;
  expect(small.outcomes).toEqual([SENT]);
});

it('reports what need not be sent without a turn, and gives that turn to the next', async () => {
  const { outcomes } = deliver([...targetsOf(2, 'known'), { ...targetsOf(1, 'd')[0], place: 2 } as Target]);
  await pass(0);
  expect([outcomes, sent.map(({ token }) => token)]).toEqual([[FAILED, FAILED], ['d0']]);
});

it('sends targets once leaves() has resolved, as many as there is room for, and counts their room as taken until then', async () => {
  await grow();
  const ends: number[] = [];
  const notes: ((mayLeave: boolean) => void)[] = [];
  const leaves = (end: number): Promise<boolean> => {
    ends.push(end);
    return new Promise((resolve) => notes.push(resolve));
  };
  const { outcomes, ended } = deliver(targetsOf(60, 'd'), { leaves });
  void deliver(targetsOf(1, 'other'));
  await pass(100);
  expect([ends, sent]).toEqual([[50], []]);
  notes[0]?.(true);
  await pass(100);
  expect(sentOf('d')).toBe(50);
  for (const { answer } of sent.splice(0)) answer(TAKEN);
  await pass(100);
  expect(ends).toEqual([50, 60]);
  notes[1]?.(false);
  await ended;
  expect([sentOf('d'), outcomes.length]).toEqual([0, 50]);
});

it('sends nothing if it was asked to pause before leaves() resolved', async () => {
  await grow();
  const { outcomes, ended } = deliver(targetsOf(10, 'd'), {
    leaves: () => {
      traffic.refused('BadKey');
      return Promise.resolve(true);
    },
  });
  await pass(10);
  await ended;
  expect([sent, new Set(outcomes.map(({ kind }) => kind))]).toEqual([[], new Set(['credential'])]);
});

it.each([
  [4_000, 1, []],
  [6_000, 0, ['retry']],
])('waits for a pause of %i ms: sends %i', async (ms, count, kinds) => {
  traffic.pause(ms);
  const { outcomes } = deliver(targetsOf(1, 'd'));
  await pass(ms * 1.1 + 10);
  expect([sent.length, outcomes.map(({ kind }) => kind)]).toEqual([count, kinds]);
});

it('returns targets that had no turn for five seconds, and waits for open requests', async () => {
  const { outcomes, ended } = deliver(targetsOf(3, 'd'));
  const other = deliver(targetsOf(1, 'other'));
  await pass(4_999);
  expect(outcomes).toEqual([]);
  await pass(2);
  await other.ended;
  const noTurn: Outcome = { kind: 'retry', reason: 'NO_TURN', afterMs: 0 };
  expect([other.outcomes, outcomes[1], outcomes[2], sent.length]).toEqual([[noTurn], noTurn, noTurn, 1]);
  sent[0]?.answer(TAKEN);
  await ended;
  expect(outcomes[0]).toEqual(SENT);
});

it('reports unknown what is open when it was aborted and no answer came in time, and nothing after that', async () => {
  const stop = new AbortController();
  const { outcomes, ended } = deliver(targetsOf(2, 'd'), { signal: stop.signal });
  await pass(0);
  stop.abort();
  expect(outcomes[1]).toEqual({ kind: 'retry', reason: 'STOPPED', afterMs: 0 });
  await pass(1_000);
  await ended;
  sent[0]?.answer(TAKEN);
  await pass(0);
  expect(outcomes[0]).toEqual({ kind: 'unknown', reason: 'NO_ANSWER' });
});
