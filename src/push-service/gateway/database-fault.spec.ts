// A database that lacks a resource undid the statement: nothing was accepted, and the answer says so.
import { expect, it } from 'vitest';
import { databaseFault } from './database-fault.js';

it.each(['53100', '53200', '53300', '53400'])(
  'a want of the database (%s) is answered as not sent',
  (code) => {
    const refused = Object.assign(new Error('could not extend file'), { code });
    expect(databaseFault(new Error('a query failed', { cause: refused }))).toBe('not sent');
  },
);

it.each([
  ['a server that only reads for now', '25006'],
  ['a transaction that was not serializable', '40001'],
  ['a deadlock', '40P01'],
  ['a lock that was not to be had in time', '55P03'],
])('nothing is taken because of %s either', (_, code) => {
  const refused = Object.assign(new Error('refused'), { code, severity: 'ERROR' });
  expect(databaseFault(refused)).toBe('not sent');
});

it('nobody knows what a statement did that took too long', () => {
  const ended = Object.assign(new Error('canceling statement'), { code: '57014', severity: 'ERROR' });
  expect(databaseFault(ended)).toBe('unknown');
});
