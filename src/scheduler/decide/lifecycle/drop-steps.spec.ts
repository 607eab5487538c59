import { describe, expect, it } from 'vitest';
import { DROP_STEPS, GOING, stepAfter } from './drop-steps.js';

describe('the steps by which an old day goes (docs/decisions/0001)', () => {
  it('follow one another until the day is done', () => {
    const taken: (typeof DROP_STEPS)[number][] = ['earlier-sends'];
    for (let step = taken.at(-1); step !== undefined && step !== 'done'; step = taken.at(-1))
      taken.push(stepAfter(step));
    expect(taken).toEqual([
      'earlier-sends',
      'events',
      'tables',
      'earlier-events',
      'revisions',
      'rejections',
      'duplicates',
      'done',
    ]);
  });

  it('have the day until its tables go, and not after', () => {
    expect(GOING).toEqual(DROP_STEPS.slice(0, DROP_STEPS.indexOf('tables') + 1));
  });
});
