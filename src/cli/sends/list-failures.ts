// carillon failures: sends that need somebody, in groups, the largest first; each group has the options that name its sends.
import { Option } from 'commander';
import { z } from 'zod';
import { askedFor } from '../shell/filters.js';
import { printList, withQuery, type Column, type ListOptions } from '../shell/list-of.js';
import { SEND_FILTERS } from './send-filters.js';

export interface FailuresOptions extends ListOptions {
  readonly state?: string;
  readonly groupBy: string;
}

const Group = z.looseObject({
  state: z.string(),
  code: z.string().nullish(),
  project: z.string().nullish(),
  campaign: z.string().nullish(),
  campaignId: z.string().nullish(),
  zone: z.string().nullish(),
  mode: z.string().nullish(),
  httpStatus: z.number().nullish(),
  sends: z.number(),
  firstAt: z.string(),
  lastAt: z.string(),
  retryable: z.boolean(),
  filter: z.record(z.string(), z.string()),
});
type Group = z.output<typeof Group>;

/** The columns of the keys that a caller may group by. */
const KEYS: Readonly<Record<string, Column<Group>>> = {
  code: { title: 'code', of: ({ code }) => code },
  project: { title: 'project', of: ({ project }) => project },
  campaign: { title: 'campaign', of: ({ campaignId, campaign }) => campaignId ?? campaign, as: 'cut' },
  zone: { title: 'zone', of: ({ zone }) => zone },
  mode: { title: 'mode', of: ({ mode }) => mode },
  httpStatus: { title: 'http', of: ({ httpStatus }) => httpStatus },
};

export function listFailures(options: FailuresOptions): Promise<void> {
  const { groupBy, state } = options;
  const keys = groupBy.split(',').flatMap((key) => KEYS[key.trim()] ?? []);
  const columns: readonly Column<Group>[] = [
    { title: 'sends', of: ({ sends }) => sends },
    { title: 'state', of: ({ state: is }) => is, as: 'state' },
    ...keys,
    { title: 'first', of: ({ firstAt }) => firstAt, as: 'instant' },
    { title: 'last', of: ({ lastAt }) => lastAt, as: 'instant' },
    { title: 'retry', of: ({ retryable }) => (retryable ? 'may' : 'no') },
    { title: 'its sends', of: optionsOf, as: 'cut' },
  ];
  return printList(
    {
      role: 'analyst',
      path: withQuery('/failures', { ...askedFor(SEND_FILTERS, options), groupBy, state }),
      row: Group,
      columns,
      id: optionsOf,
      none: 'no sends need anybody',
    },
    options,
  );
}

/** What "carillon sends list" takes to print them, and "carillon retries create" to retry them. */
function optionsOf({ filter }: Group): string {
  const flags = new Map(SEND_FILTERS.map((one) => [one.parameter, new Option(one.flags).long]));
  flags.set('state', '--state');
  return Object.entries(filter)
    .flatMap(([name, value]) => (flags.has(name) ? [`${flags.get(name)} ${quoted(value)}`] : []))
    .join(' ');
}

const quoted = (value: string): string =>
  /^[\w./:,+-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
