import { describe, expect, it } from 'vitest';
import { eventDifference } from './edited-event.js';

const members = (value: number) =>
  Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`m${index}`, value]));

describe('what an edited replay changed', () => {
  it('is listed by place, and recipients are counted', () => {
    const before = { data: { audience: { to: ['a', 'b'] }, title: 'x', same: [1, { a: 2 }] } };
    const after = {
      data: { audience: { to: ['a', 'c', 'd'] }, title: 'y', same: [1, { a: 2 }], more: null },
    };
    expect(eventDifference(before, after)).toEqual({
      changes: [
        { pointer: '/data/audience/to', before: '2 entries', after: '3 entries' },
        { pointer: '/data/title', before: '"x"', after: '"y"' },
        { pointer: '/data/more', after: 'null' },
      ],
      more: 0,
    });
  });

  it('stays small below a name of any length, and what is not listed is counted', () => {
    const name = 'n'.repeat(100_000);
    const { changes, more } = eventDifference({ [name]: members(1) }, { [name]: members(2) });
    expect([changes.length, more]).toEqual([50, 30]);
    expect(JSON.stringify(changes).length).toBeLessThan(50 * 600);
  });

  it('can be stored where a name of the refused event could not', () => {
    const { changes } = eventDifference({ 'a\0b': 1, '\ud83d': 2 }, {});
    expect(changes.map(({ pointer }) => pointer)).toEqual(['/a\uFFFDb', '/\uFFFD']);
  });

  it('can be stored where a cut went through a pair of surrogates', () => {
    const faces = '😀'.repeat(400);
    const { changes } = eventDifference({ [faces]: faces, [`x${faces}`]: `x${faces}` }, {});
    expect(JSON.stringify(changes)).not.toMatch(/\\u[dD][89a-fA-F]/);
  });
});
