// Prints the audit log: who did what to what, and when.
import { z } from 'zod';
import { askedFor } from '../shell/filters.js';
import { printList, withQuery, type ListOptions } from '../shell/list-of.js';
import { AUDIT_FILTERS } from './audit-filters.js';

const AuditRow = z.looseObject({
  id: z.string(),
  at: z.string(),
  who: z.string(),
  action: z.string(),
  target: z.string(),
  serviceId: z.string().nullable(),
  before: z.unknown(),
  after: z.unknown(),
});

export function printAudit(options: ListOptions): Promise<void> {
  return printList(
    {
      role: 'admin',
      path: withQuery('/audit', askedFor(AUDIT_FILTERS, options)),
      row: AuditRow,
      columns: [
        { title: 'at', of: ({ at }) => at, as: 'instant' },
        { title: 'who', of: ({ who }) => who.replace(/ \([0-9a-f-]{36}\)$/, ''), as: 'cut' },
        { title: 'action', of: ({ action }) => action },
        { title: 'project', of: ({ serviceId }) => serviceId },
        { title: 'target', of: ({ target }) => target },
        { title: 'to', of: ({ after }) => (after === null ? null : JSON.stringify(after)), as: 'cut' },
      ],
      id: ({ id }) => id,
      none: 'nothing was done',
    },
    options,
  );
}
