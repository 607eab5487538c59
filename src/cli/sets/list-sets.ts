// carillon retries list and resolves list: the sets that people made, newest first.
import { askedFor, OF_SERVICE } from '../shell/filters.js';
import { printList, withQuery, type ListOptions } from '../shell/list-of.js';
import { SendSet, type SetKind } from './set-text.js';

export function listSets(kind: SetKind, options: ListOptions): Promise<void> {
  return printList(
    {
      role: 'operator',
      path: withQuery(`/${kind}`, askedFor([OF_SERVICE], options)),
      row: SendSet,
      columns: [
        { title: 'token', of: ({ token }) => token },
        { title: 'state', of: ({ state }) => state },
        { title: 'made', of: ({ createdAt }) => createdAt, as: 'instant' },
        { title: 'by', of: ({ createdBy }) => createdBy, as: 'cut' },
        { title: 'found', of: ({ found }) => found },
        { title: 'to do', of: ({ retry, resolve }) => retry ?? resolve },
        { title: 'done', of: ({ retried, resolved }) => retried ?? resolved },
      ],
      id: ({ token }) => token,
      none: `no ${kind}`,
    },
    options,
  );
}
