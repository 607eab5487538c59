import { describe, expect, it } from 'vitest';
import { COUNTING, DROP_STEPS, stepAfter, type DropStep } from './drop-steps.js';

describe('the steps by which an old day goes (docs/decisions/0001)', () => {
  it('follow one another to the last, and then end', () => {
    const taken: (DropStep | undefined)[] = ['sends'];
    while (taken.at(-1) !== undefined && taken.length < 20)
      taken.push(stepAfter(taken.at(-1) ?? 'duplicates'));
    expect(taken).toEqual([
      'sends',
      'events',
      'tables',
      'earlier-sends',
      'earlier-events',
      'revisions',
      'rejections',
      'duplicates',
      undefined,
    ]);
  });

  it('have the day until its tables go, and not after', () => {
    expect(COUNTING).toEqual(DROP_STEPS.slice(0, DROP_STEPS.indexOf('tables') + 1));
  });
});
