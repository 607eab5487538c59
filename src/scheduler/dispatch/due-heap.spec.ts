import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DueHeap, type Due } from './due-heap.js';

/** `at/chunk/id` */
const due = (text: string): Due => {
  const [at = '', chunk = '', id = ''] = text.split('/');
  return { at: Number(at), chunk: Number(chunk), id };
};
const nameOf = ({ at, chunk, id }: Due): string => `${at}/${chunk}/${id}`;
const heapOf = (entries: readonly string[]): DueHeap<Due> => {
  const heap = new DueHeap<Due>();
  for (const entry of entries) heap.push(due(entry));
  return heap;
};
const popped = (heap: DueHeap<Due>): string[] => {
  const names: string[] = [];
  for (let entry = heap.pop(); entry !== undefined; entry = heap.pop()) names.push(nameOf(entry));
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
    expect(popped(heapOf(pushed))).toEqual(expected);
  });

  it('shows its head without taking it', () => {
    const heap = heapOf(['2/0/a', '1/0/b']);
    expect([heap.peek()?.id, heap.size, heap.pop()?.id, heap.peek()?.id, heap.size]).toEqual([
      'b',
      2,
      'b',
      'a',
      1,
    ]);
  });

  it.each([
    ['nothing', (): boolean => false, [], ['1/0/a', '2/0/b', '3/0/c']],
    ['everything', (): boolean => true, ['1/0/a', '2/0/b', '3/0/c'], []],
    ['its head', ({ id }: Due): boolean => id === 'a', ['1/0/a'], ['2/0/b', '3/0/c']],
    ['what lies within', ({ at }: Due): boolean => at === 2, ['2/0/b'], ['1/0/a', '3/0/c']],
  ])('gives out %s that a test holds of, and keeps the others in order', (_, test, removed, left) => {
    const heap = heapOf(['3/0/c', '1/0/a', '2/0/b']);
    expect(heap.remove(test).map(nameOf).toSorted()).toEqual(removed);
    expect([heap.size, popped(heap)]).toEqual([left.length, left]);
  });

  it('is in order whatever is pushed, taken out and popped between', () => {
    const entry = fc.record({
      at: fc.integer({ min: 0, max: 9 }),
      chunk: fc.nat(3),
      id: fc.string({ maxLength: 2 }),
    });
    const step = fc.oneof(
      fc.record({ kind: fc.constant('push' as const), entry }),
      fc.record({ kind: fc.constant('pop' as const) }),
      fc.record({ kind: fc.constant('remove' as const), at: fc.integer({ min: 0, max: 9 }) }),
    );
    const inOrder = (a: Due, b: Due): number =>
      a.at - b.at || a.chunk - b.chunk || (a.id < b.id ? -1 : Number(a.id > b.id));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const heap = new DueHeap<Due>();
        let plain: Due[] = [];
        for (const one of steps) {
          let [taken, expected]: (Due | undefined)[] = [];
          if (one.kind === 'push') {
            heap.push(one.entry);
            plain = [...plain, one.entry].toSorted(inOrder);
          } else if (one.kind === 'pop') [taken, expected] = [heap.pop(), plain.shift()];
          else {
            heap.remove(({ at }) => at === one.at);
            plain = plain.filter(({ at }) => at !== one.at);
          }
          expect([taken, heap.size, heap.peek()]).toEqual([expected, plain.length, plain[0]]);
        }
        expect(popped(heap)).toEqual(plain.map(nameOf));
      }),
    );
  });
});
