// carillon sends list, carillon uncertain and carillon failures: sends as rows, and those that need somebody in groups.
import { askedFor } from '../shell/filters.js';
import { printList, withQuery, type Column, type ListOptions } from '../shell/list-of.js';
import { SEND_FILTERS } from './send-filters.js';
import { Send } from './send.js';

const nameOf = ({ serviceId, campaignId, campaign }: Send): string =>
  `${serviceId}/${campaignId ?? campaign}`;
const COLUMNS: readonly Column<Send>[] = [
  { title: 'id', of: ({ id }) => id },
  { title: 'campaign', of: nameOf, as: 'cut' },
  { title: 'zone', of: ({ zone }) => zone, as: 'cut' },
  { title: 'mode', of: ({ mode }) => mode },
  { title: 'due', of: ({ dueAt }) => dueAt, as: 'instant' },
  { title: 'state', of: ({ state }) => state, as: 'state' },
  { title: 'code', of: ({ code }) => code },
  { title: 'users', of: ({ recipients }) => recipients },
  { title: 'devices', of: ({ target, sent }) => (target === null ? null : `${sent ?? 0}/${target}`) },
];
const UNCERTAIN_COLUMNS: readonly Column<Send>[] = [
  { title: 'id', of: ({ id }) => id },
  { title: 'campaign', of: nameOf, as: 'cut' },
  { title: 'since', of: ({ stateAt }) => stateAt, as: 'instant' },
  { title: 'due', of: ({ dueAt }) => dueAt, as: 'instant' },
  { title: 'code', of: ({ code }) => code },
  { title: 'request', of: ({ requestId }) => requestId },
  { title: 'users', of: ({ recipients }) => recipients },
  { title: 'why', of: ({ detail }) => detail, as: 'cut' },
];

export interface SendsOptions extends ListOptions {
  readonly state?: string;
  readonly newest?: true;
  readonly all?: true;
}

export function listSends(options: SendsOptions): Promise<void> {
  const query = {
    ...askedFor(SEND_FILTERS, options),
    state: options.state,
    newest: options.all !== true,
    order: options.newest === true ? 'newest' : 'oldest',
  };
  return printList(
    {
      role: 'analyst',
      path: withQuery('/sends', query),
      row: Send,
      columns: COLUMNS,
      id: ({ id }) => id,
      none: 'no such sends',
    },
    options,
  );
}

/** The oldest first: those are what somebody has to settle. */
export function listUncertain(options: ListOptions): Promise<void> {
  const query = { ...askedFor(SEND_FILTERS, options), state: 'uncertain' };
  return printList(
    {
      role: 'analyst',
      path: withQuery('/sends', query),
      row: Send,
      columns: UNCERTAIN_COLUMNS,
      id: ({ id }) => id,
      none: 'nothing is uncertain',
    },
    options,
  );
}
