// The query of a report over many campaigns: filters, groups, order and the other side. Pure.
import { z } from 'zod';
import { anyOf } from '../../../platform/http/names-parameter.js';
import { instantWithOffset } from '../../../platform/http/given-instant.js';
import { pageQuery } from '../../../platform/http/paging.js';
import { storableText } from '../../../platform/http/storable-text.js';
import type { CallerIdentity } from '../../admin/auth/caller.js';
import { MODES } from '../../decide/timing/send-mode.js';
import { ROW_ORDERS, REPORTED_GROUP_KEYS, type GroupKey, type ReportFilter } from './grouped-rows.js';
import { WEEK_BEFORE } from './comparison.js';
import { bom, format } from '../csv.js';
import { KEYS } from './grouped-answer.js';
import { ourCampaignId } from '../../store/read/our-ids.js';

/** Sums are kept by the minute. */
const wholeMinute = instantWithOffset
  .transform((text) => Date.parse(text))
  .refine((instant) => instant % 60_000 === 0, 'a whole minute');

const keysOf = (keys: readonly GroupKey[]) =>
  anyOf(keys)
    .refine((named) => named.length <= 2, 'two keys at most')
    .refine((named) => new Set(named).size === named.length, 'each key once')
    .describe(`One or two of ${keys.join(', ')}, with a comma between`);

const membersOf = (keys: readonly GroupKey[]) => ({
  ...pageQuery,
  format,
  bom,
  groupBy: keysOf(keys),
  from: wholeMinute.optional().describe('Due at or after it, a whole minute'),
  to: wholeMinute.optional().describe('Due before it, a whole minute'),
  serviceId: storableText(128).optional(),
  campaign: ourCampaignId.optional().describe('Our id'),
  tag: storableText(64).optional().describe('A tag of the newest revision, as long as that is kept'),
  zone: storableText(64).optional(),
  mode: z.enum(MODES).optional(),
  order: z
    .enum(ROW_ORDERS)
    .default('key')
    .describe('By the keys, ascending or descending, or the most planned first, on the own side'),
  compareWith: z
    .string()
    .refine((text) => text === WEEK_BEFORE || z.uuid().safeParse(text).success, {
      error: `${WEEK_BEFORE}, or our id of a campaign`,
      abort: true,
    })
    .optional()
    .describe(
      `${WEEK_BEFORE}: the same range 168 hours before, which needs from and to; or our id of another campaign`,
    ),
});

const lateness = z.object(membersOf(KEYS.filter((key) => key !== 'code' && key !== 'language')));
export type ReportQuery = z.output<typeof lateness>;

function checkTogether(
  { compareWith, from, to, campaign, groupBy }: ReportQuery,
  context: z.RefinementCtx,
): void {
  const fault = (path: string, message: string): void =>
    context.addIssue({ code: 'custom', path: [path], message, input: undefined });
  if (from !== undefined && to !== undefined && from >= to) fault('to', 'must be after from');
  if (compareWith === undefined) return;
  if (compareWith === WEEK_BEFORE) {
    if (from === undefined) fault('from', `compareWith=${WEEK_BEFORE} needs it: a week before when?`);
    if (to === undefined)
      fault('to', `compareWith=${WEEK_BEFORE} needs it: else this week would be beside itself`);
    return;
  }
  if (campaign === undefined) fault('campaign', 'a campaign is compared with another one: name both');
  if (campaign === compareWith) fault('compareWith', 'a campaign is compared with another one than itself');
  if (groupBy.includes('campaign'))
    fault('groupBy', 'rows by campaign are never alike in two campaigns: compare by other keys');
}

export const latenessQuery = lateness.superRefine(checkTogether);
export const summaryQuery = z
  .object({
    ...membersOf(KEYS),
    reported: z
      .enum(['true', 'false'])
      .optional()
      .describe('Also show what breakdowns reported; always shown by deviceType, country or language'),
  })
  .superRefine(checkTogether);

/** Whether the answer shows what breakdowns reported. */
export const isReported = ({ reported, groupBy }: z.output<typeof summaryQuery>): boolean =>
  reported === 'true' || groupBy.some((key) => REPORTED_GROUP_KEYS.includes(key));

export function filterOf(query: ReportQuery, caller: CallerIdentity): ReportFilter {
  const { serviceId, from, to, campaign, tag, zone, mode } = query;
  return { serviceIds: caller.heldOf(serviceId), from, to, campaign, tag, zone, mode };
}
