// A database that is out of something took the statement back: nothing was accepted, and a client may say so.
import { expect, it } from 'vitest';
import { databaseFault } from './database-fault.js';

it.each(['53100', '53200', '53300', '53400'])(
  'a want of the database (%s) is answered as not sent',
  (code) => {
    const refused = Object.assign(new Error('could not extend file'), { code });
    expect(databaseFault(new Error('a query failed', { cause: refused }))).toBe('not sent');
  },
);

it('a server that only reads for now took nothing either', () => {
  const refused = Object.assign(new Error('cannot execute INSERT in a read-only transaction'), {
    code: '25006',
    severity: 'ERROR',
  });
  expect(databaseFault(refused)).toBe('not sent');
});
