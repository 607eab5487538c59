// What rows of a summary and of lateness have in common as they are shown: their keys, and what they stand beside (http-api.md,
// "Over many campaigns"). Pure.
import { z } from 'zod';
import { GROUP_KEYS, type GroupKey } from '../store/rollup/report-parts.js';
import { NOT_COMPARED, WEEK_BEFORE, type NotCompared } from './comparison.js';

export const KEYS = Object.keys(GROUP_KEYS) as [GroupKey, ...GroupKey[]];

export const key = z
  .partialRecord(z.enum(KEYS), z.string().nullable())
  .describe('By each key of groupBy; null: it has none, as a standing message has no due');

export const rowCampaign = z
  .object({ campaignId: z.string(), name: z.string().nullable() })
  .optional()
  .describe('Where groupBy names the campaign, whose key is our id');

const IF_ASKED = 'where compareWith asks for it';

/** Which other side the rows stand beside. */
export const ComparisonShown = z
  .object({
    with: z.union([z.literal(WEEK_BEFORE), z.uuid()]),
    campaign: z
      .object({ id: z.uuid(), serviceId: z.string(), campaignId: z.string(), name: z.string().nullable() })
      .nullable()
      .describe('The other campaign, where it is known'),
    from: z.iso.datetime().nullable().describe('Due at or after it …'),
    to: z.iso.datetime().nullable().describe('… and before it, on the other side'),
  })
  .describe(`The other side, ${IF_ASKED}`);
export type ComparisonShown = z.output<typeof ComparisonShown>;

/** Members that carry the other side of a row, or of the totals. */
export const besideMembers = <Shown extends z.ZodType>(shown: Shown) => ({
  compared: shown
    .nullable()
    .optional()
    .describe(`Of the other side, ${IF_ASKED}; null: notCompared says why`),
  notCompared: z
    .enum(NOT_COMPARED)
    .nullable()
    .optional()
    .describe(
      'Why there is no other side: it is kept no longer, or by longer times than these, or the campaign is not known (any more)',
    ),
});

/** `figures` are undefined where the other side was not read. */
export function besideOf<Figures, Shown>(
  figures: Figures | undefined,
  notCompared: NotCompared | null,
  show: (figures: Figures) => Shown,
): { readonly compared: Shown | null; readonly notCompared: NotCompared | null } {
  if (notCompared !== null) return { compared: null, notCompared };
  if (figures === undefined) throw new Error('the other side of a row was not read');
  return { compared: show(figures), notCompared };
}
