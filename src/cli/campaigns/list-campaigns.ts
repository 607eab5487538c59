// carillon campaigns list and plan: campaigns as rows, and the cells of a campaign's plan.
import { z } from 'zod';
import { askedFor } from '../shell/filters.js';
import { printList, withQuery, type ListOptions } from '../shell/list-of.js';
import { CAMPAIGN_FILTERS, PLAN_FILTERS } from './campaign-filters.js';

export interface CampaignsOptions extends ListOptions {
  readonly attention?: true;
  readonly oldest?: true;
}

const Counts = z.record(z.string(), z.number());
const Campaign = z.looseObject({
  id: z.string(),
  serviceId: z.string(),
  campaignId: z.string(),
  name: z.string().nullable(),
  state: z.string(),
  paused: z.boolean(),
  nextDueAt: z.string().nullable(),
  attention: z.looseObject({ text: z.string() }).nullable(),
  sends: Counts,
});
const Cell = z.looseObject({
  occurrence: z.string(),
  cell: z.string(),
  zone: z.string().nullable(),
  dueAt: z.string().nullable(),
  mode: z.string().nullable(),
  rule: z.string().nullable(),
  skipped: z.string().nullable(),
  recipients: z.number().nullable(),
  sends: Counts,
});

const countsText = (counts: z.output<typeof Counts>): string =>
  Object.entries(counts)
    .map(([state, count]) => `${count} ${state}`)
    .join(', ');

export function listCampaigns(options: CampaignsOptions): Promise<void> {
  const query = {
    ...askedFor(CAMPAIGN_FILTERS, options),
    attention: options.attention,
    order: options.oldest === true ? 'oldest' : undefined,
  };
  return printList(
    {
      role: 'analyst',
      path: withQuery('/campaigns', query),
      row: Campaign,
      columns: [
        { title: 'id', of: ({ id }) => id },
        { title: 'campaign', of: ({ serviceId, campaignId }) => `${serviceId}/${campaignId}`, as: 'cut' },
        { title: 'state', of: ({ state }) => state, as: 'state' },
        { title: 'paused', of: ({ paused }) => (paused ? 'yes' : null) },
        { title: 'next due', of: ({ nextDueAt }) => nextDueAt, as: 'instant' },
        { title: 'sends', of: ({ sends }) => countsText(sends), as: 'cut' },
        { title: 'needs you', of: ({ attention }) => attention?.text, as: 'cut' },
      ],
      id: ({ id }) => id,
      none: 'no such campaigns',
    },
    options,
  );
}

export function listPlan(id: string, options: ListOptions): Promise<void> {
  return printList(
    {
      role: 'analyst',
      path: withQuery(`/campaigns/${encodeURIComponent(id)}/plan`, askedFor(PLAN_FILTERS, options)),
      row: Cell,
      columns: [
        { title: 'occurrence', of: ({ occurrence }) => occurrence },
        { title: 'zone', of: ({ zone }) => zone },
        { title: 'due', of: ({ dueAt }) => dueAt, as: 'instant' },
        { title: 'mode', of: ({ mode, skipped }) => skipped ?? mode },
        { title: 'rule', of: ({ rule }) => rule },
        { title: 'users', of: ({ recipients }) => recipients },
        { title: 'sends', of: ({ sends }) => countsText(sends), as: 'cut' },
      ],
      id: ({ cell }) => cell,
      none: 'it has no plan yet, or no such cells',
    },
    options,
  );
}
