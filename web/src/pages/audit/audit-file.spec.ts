// What is exported is read by programs that were not written for it.
import { expect, it } from 'vitest';
import type { AuditRow } from '../../api/access.ts';
import { auditCsv, auditNdjson } from './audit-file.ts';

const row = {
  id: '1',
  at: '2027-03-01T09:00:00.000Z',
  who: 'token:desk (1)',
  action: 'project.change',
  target: '=cmd()',
  serviceId: null,
  before: { rate: 1 },
  after: { note: 'a "b", c' },
} as unknown as AuditRow;

it('quotes cells, leaves none to be worked out, and has a mark of UTF-8', () => {
  const [head, line] = auditCsv([row]).split('\r\n');
  expect(head).toBe('\ufeffat,who,action,target,serviceId,before,after,id');
  expect(line).toBe(
    `2027-03-01T09:00:00.000Z,token:desk (1),project.change,'=cmd(),,"{""rate"":1}","{""note"":""a \\""b\\"", c""}",1`,
  );
});

it('writes a row a line as JSON', () => {
  expect(
    auditNdjson([row, row])
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([row, row]);
});
