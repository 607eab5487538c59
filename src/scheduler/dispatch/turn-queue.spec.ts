import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leavesBefore, TurnQueue, type Queued } from './turn-queue.js';

const entry = (campaign: string, at: number, chunk = 0): Queued => ({
  id: `${campaign}${at}/${chunk}`,
  campaign,
  at,
  chunk,
});
const queueOf = (entries: readonly Queued[]): TurnQueue<Queued> => {
  const queue = new TurnQueue<Queued>();
  for (const one of entries) queue.push(one);
  return queue;
};
const taken = (queue: TurnQueue<Queued>, now: number): string[] => {
  const ids: string[] = [];
  for (let next = queue.take(now); next !== undefined; next = queue.take(now)) ids.push(next.id);
  return ids;
};

describe('a queue of turns', () => {
  it('gives each campaign its turn, however many sends of others wait and however late they are', () => {
    const queue = queueOf([
      ...[1, 2, 3, 4].map((at) => entry('late', at)),
      entry('due', 100),
      entry('due', 99),
    ]);
    expect(taken(queue, 100)).toEqual(['late1/0', 'due99/0', 'late2/0', 'due100/0', 'late3/0', 'late4/0']);
  });

  it('takes the earliest send of a campaign first, and of one instant the first chunks', () => {
    const queue = queueOf([entry('a', 2), entry('a', 1, 1), entry('a', 1, 0)]);
    expect(taken(queue, 2)).toEqual(['a1/0', 'a1/1', 'a2/0']);
  });

  it('takes no send before it is due, and shows which comes next', () => {
    const queue = queueOf([entry('a', 10), entry('b', 5)]);
    expect([queue.take(4), queue.peek()?.id]).toEqual([undefined, 'b5/0']);
    expect([queue.take(5)?.id, queue.take(5), queue.peek()?.id, queue.size]).toEqual([
      'b5/0',
      undefined,
      'a10/0',
      1,
    ]);
  });

  it('keeps sends that were due when the clock is set back, except those that are still due', () => {
    const queue = queueOf([entry('a', 10), entry('a', 9), entry('b', 3), entry('b', 4)]);
    expect([queue.take(10)?.id, queue.take(10)?.id]).toEqual(['b3/0', 'a9/0']);
    queue.push(entry('c', 8));
    expect([queue.take(8)?.id, queue.take(8)?.id, queue.take(8), queue.size]).toEqual([
      'b4/0',
      'c8/0',
      undefined,
      1,
    ]);
    expect([queue.peek()?.id, queue.take(10)?.id]).toEqual(['a10/0', 'a10/0']);
  });

  it('takes each send once, and gives no campaign two turns while another waits', () => {
    const campaigns = fc.constantFrom('a', 'b', 'c');
    const entries = fc.array(fc.tuple(campaigns, fc.integer({ min: 0, max: 20 })), { maxLength: 60 });
    fc.assert(
      fc.property(entries, (given) => {
        const all = given.map(([campaign, at], chunk) => entry(campaign, at, chunk));
        const queue = queueOf(all);
        const order: Queued[] = [];
        for (let next = queue.take(20); next !== undefined; next = queue.take(20)) order.push(next);
        expect(order.map(({ id }) => id).sort()).toEqual(all.map(({ id }) => id).sort());
        for (const [index, { campaign }] of order.entries()) {
          const left = new Set(order.slice(index).map((one) => one.campaign));
          const window = order.slice(index, index + left.size).map((one) => one.campaign);
          expect(new Set(window)).toEqual(left);
          expect(window[0]).toBe(campaign);
        }
      }),
    );
  });
});

describe('the order in which sends leave', () => {
  it.each([
    ['the earliest', ['3/0/a', '1/0/b', '2/0/c'], ['1/0/b', '2/0/c', '3/0/a']],
    ['of one instant the first chunks', ['1/2/a', '1/0/b', '1/1/c'], ['1/0/b', '1/1/c', '1/2/a']],
    ['of one chunk the lowest id', ['1/0/c', '1/0/a', '1/0/b'], ['1/0/a', '1/0/b', '1/0/c']],
    ['by the instant before the chunk', ['2/0/a', '1/9/z'], ['1/9/z', '2/0/a']],
    ['by the chunk before the id', ['1/1/a', '1/0/z'], ['1/0/z', '1/1/a']],
    ['by instants as numbers', ['10/0/a', '9/0/b', '-1/0/c'], ['-1/0/c', '9/0/b', '10/0/a']],
  ])('%s', (_, given, expected) => {
    const due = given.map((text) => {
      const [at = '', chunk = '', id = ''] = text.split('/');
      return { at: Number(at), chunk: Number(chunk), id };
    });
    expect(due.toSorted(leavesBefore).map(({ at, chunk, id }) => `${at}/${chunk}/${id}`)).toEqual(expected);
  });
});
