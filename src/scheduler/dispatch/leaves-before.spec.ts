import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Heap } from '../decide/timing/heap.js';
import { leavesBefore, type Due } from './turn-queue.js';

/** `at/chunk/id` */
const due = (text: string): Due => {
  const [at = '', chunk = '', id = ''] = text.split('/');
  return { at: Number(at), chunk: Number(chunk), id };
};
const nameOf = ({ at, chunk, id }: Due): string => `${at}/${chunk}/${id}`;
const queueOf = (entries: readonly string[]): Heap<Due> => {
  const queue = new Heap<Due>(leavesBefore);
  for (const entry of entries) queue.push(due(entry));
  return queue;
};
const popped = (queue: Heap<Due>): string[] => {
  const names: string[] = [];
  for (let entry = queue.pop(); entry !== undefined; entry = queue.pop()) names.push(nameOf(entry));
  return names;
};

describe('a heap of due sends', () => {
  it.each([
    ['is empty at first', [], []],
    ['gives one back', ['5/0/a'], ['5/0/a']],
    ['gives the earliest first', ['3/0/a', '1/0/b', '2/0/c'], ['1/0/b', '2/0/c', '3/0/a']],
    ['gives of one instant the first chunks', ['1/2/a', '1/0/b', '1/1/c'], ['1/0/b', '1/1/c', '1/2/a']],
    [
      'gives of one instant and chunk the lowest id',
      ['1/0/c', '1/0/a', '1/0/b'],
      ['1/0/a', '1/0/b', '1/0/c'],
    ],
    ['puts the instant before the chunk', ['2/0/a', '1/9/z'], ['1/9/z', '2/0/a']],
    ['puts the chunk before the id', ['1/1/a', '1/0/z'], ['1/0/z', '1/1/a']],
    ['takes instants as numbers', ['10/0/a', '9/0/b', '-1/0/c'], ['-1/0/c', '9/0/b', '10/0/a']],
    ['keeps equal ones apart', ['1/0/a', '1/0/a'], ['1/0/a', '1/0/a']],
  ])('%s', (_, pushed, expected) => {
    expect(popped(queueOf(pushed))).toEqual(expected);
  });

  it('shows its head without taking it', () => {
    const queue = queueOf(['2/0/a', '1/0/b']);
    expect([queue.peek()?.id, queue.size, queue.pop()?.id, queue.peek()?.id, queue.size]).toEqual([
      'b',
      2,
      'b',
      'a',
      1,
    ]);
  });

  it('is in order however many are taken', () => {
    const entries = Array.from({ length: 5_000 }, (_, index) => due(`${index}/0/a`));
    const queue = new Heap<Due>(leavesBefore);
    for (const entry of entries.slice(0, 3_000)) queue.push(entry);
    const taken = Array.from({ length: 2_000 }, () => queue.pop());
    for (const entry of entries.slice(3_000).toReversed()) queue.push(entry);
    while (queue.size > 0) taken.push(queue.pop());
    expect(taken).toEqual(entries);
  });

  it('is in order whatever is pushed and popped between', () => {
    const entry = fc.record({
      at: fc.integer({ min: 0, max: 9 }),
      chunk: fc.nat(3),
      id: fc.string({ maxLength: 2 }),
    });
    const step = fc.oneof(
      fc.record({ kind: fc.constant('push' as const), entry }),
      fc.record({ kind: fc.constant('pop' as const) }),
    );
    const inOrder = (a: Due, b: Due): number =>
      a.at - b.at || a.chunk - b.chunk || (a.id < b.id ? -1 : Number(a.id > b.id));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const queue = new Heap<Due>(leavesBefore);
        let plain: Due[] = [];
        for (const one of steps) {
          let [taken, expected]: (Due | undefined)[] = [];
          if (one.kind === 'push') {
            queue.push(one.entry);
            plain = [...plain, one.entry].toSorted(inOrder);
          } else [taken, expected] = [queue.pop(), plain.shift()];
          expect([taken, queue.size, queue.peek()]).toEqual([expected, plain.length, plain[0]]);
        }
        expect(popped(queue)).toEqual(plain.map(nameOf));
      }),
    );
  });
});
