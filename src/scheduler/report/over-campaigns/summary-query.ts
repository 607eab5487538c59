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

/** A date is its midnight in UTC. Sums are kept by the minute. */
const wholeMinute = z
  .union([z.iso.date(), instantWithOffset], {
    error:
      'must be a date, as 2027-03-01, or an instant with Z or an offset, as 2027-03-01T00:00:00Z (in a query + is written %2B)',
  })
  .transform((text) => Date.parse(text))
  .refine((instant) => instant % 60_000 === 0, 'a whole minute');

const UNITS = { h: 3_600_000, d: 86_400_000 } as const;
/** `7d`, `24h`, as milliseconds of one unit and how many of them. */
const last = z
  .string()
  .regex(/^[1-9]\d{0,2}[hd]$/, 'must be days or hours, as 7d or 24h')
  .transform((text) => ({
    count: Number(text.slice(0, -1)),
    unitMs: text.endsWith('h') ? UNITS.h : UNITS.d,
  }));

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
  from: wholeMinute
    .optional()
    .describe('Due at or after it: a whole minute, or the midnight (UTC) of a date'),
  to: wholeMinute.optional().describe('Due before it: a whole minute, or the midnight (UTC) of a date'),
  last: last
    .optional()
    .describe(
      'In place of from and to: so many whole days (UTC) or hours before the present one, as 7d or 24h',
    ),
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
  { compareWith, from, to, last: lately, campaign, groupBy }: ReportQuery,
  context: z.RefinementCtx,
): void {
  const fault = (path: string, message: string): void =>
    context.addIssue({ code: 'custom', path: [path], message, input: undefined });
  if (from !== undefined && to !== undefined && from >= to) fault('to', 'must be after from');
  if (lately !== undefined && (from ?? to) !== undefined) fault('last', 'leave out from and to, or last');
  if (compareWith === undefined) return;
  if (compareWith === WEEK_BEFORE) {
    if (lately !== undefined) return;
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

/** The query with `last` as from and to: whole days or hours, so that all pages of a report are of one range. */
export function rangeOf<Query extends Pick<ReportQuery, 'last' | 'from' | 'to'>>(
  query: Query,
  now: number,
): Query {
  if (query.last === undefined) return query;
  const { count, unitMs } = query.last;
  const to = Math.floor(now / unitMs) * unitMs;
  return { ...query, from: to - count * unitMs, to };
}

export function filterOf(query: ReportQuery, caller: CallerIdentity): ReportFilter {
  const { serviceId, from, to, campaign, tag, zone, mode } = query;
  return { serviceIds: caller.heldOf(serviceId), from, to, campaign, tag, zone, mode };
}
