// What an error that reaches the filter is answered with.
import { describe, expect, it } from 'vitest';
import { GroupsFullError } from '../database/grouped-statement.js';
import { NotConnectedError } from '../database/pooled-database.js';
import { problemFrom } from './problem.filter.js';

const ofDatabase = (code: string): Error => Object.assign(new Error('from the database'), { code });

describe('problemFrom', () => {
  it.each(['22021', '22P05'])(
    'answers text that the database cannot hold (%s) as the caller’s fault',
    (code) => {
      expect(problemFrom(ofDatabase(code))).toMatchObject({ status: 400, code: 'NOT_STORABLE' });
    },
  );

  it.each([
    ['53100', 'DATABASE_FULL', /disk of the database is full.*nothing was changed/],
    ['53200', 'DATABASE_OUT_OF_MEMORY', /out of memory/],
    ['53300', 'DATABASE_CONNECTIONS_EXHAUSTED', /max_connections/],
    ['53400', 'DATABASE_LIMIT_REACHED', /limit/],
    ['53000', 'DATABASE_SHORT_OF_RESOURCES', /a resource/],
    ['57P01', 'DATABASE_AWAY', /try again.*Idempotency-Key/],
  ])('says of %s what the database is short of, and what to do', (state, code, says) => {
    const problem = problemFrom(new Error('a wrapper', { cause: ofDatabase(state) }));
    expect(problem).toMatchObject({ status: 503, code, message: expect.stringMatching(says) });
    expect(problem.extras.retryAfterSeconds).toBeGreaterThan(0);
  });

  it.each([
    ['25006', 'DATABASE_READ_ONLY'],
    ['40001', 'DATABASE_BUSY'],
    ['40P01', 'DATABASE_BUSY'],
    ['55P03', 'DATABASE_BUSY'],
  ])('asks to try again what was undone by the database and passes by itself (%s)', (state, code) => {
    const problem = problemFrom(ofDatabase(state));
    expect(problem).toMatchObject({
      status: 503,
      code,
      message: expect.stringContaining('nothing was changed'),
    });
    expect(problem.extras.retryAfterSeconds).toBeGreaterThan(0);
  });

  it('distinguishes a pool whose connections are all at work from a database that is away', () => {
    const error = new NotConnectedError(new Error('timeout exceeded when trying to connect'));
    expect(problemFrom(error)).toMatchObject({
      status: 503,
      code: 'DATABASE_BUSY',
      message: expect.stringContaining('nothing was changed'),
      extras: { retryAfterSeconds: 1 },
    });
  });

  it('asks whoever came when too much waited already to come again', () => {
    expect(problemFrom(new GroupsFullError('full'))).toMatchObject({
      status: 503,
      code: 'TOO_BUSY',
      extras: { retryAfterSeconds: 1 },
    });
  });

  it.each(['22001', '23505', 'P0001'])(
    'keeps every other refusal of a statement (%s) a fault of ours',
    (code) => {
      expect(problemFrom(ofDatabase(code))).toMatchObject({ status: 500, code: 'INTERNAL' });
    },
  );
});
