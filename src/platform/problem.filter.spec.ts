// What an error that reaches the filter is answered with.
import { describe, expect, it } from 'vitest';
import { problemFrom } from './problem.filter.js';

const ofDatabase = (code: string): Error => Object.assign(new Error('from the database'), { code });

describe('problemFrom', () => {
  it.each(['22021', '22P05'])(
    'answers text that the database cannot hold (%s) as the caller’s fault',
    (code) => {
      expect(problemFrom(ofDatabase(code))).toMatchObject({ status: 400, code: 'NOT_STORABLE' });
    },
  );

  it.each(['22001', '23505', 'P0001'])(
    'keeps every other refusal of a statement (%s) a fault of ours',
    (code) => {
      expect(problemFrom(ofDatabase(code))).toMatchObject({ status: 500, code: 'INTERNAL' });
    },
  );
});
