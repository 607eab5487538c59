// Which list of sends holds what a figure of a report counts: the range, the filters and the keys of its row, and the states of its term.
import type { Send, SendSetName } from '../../api/sends.ts';
import type { KeyedRow } from './key-text.ts';
import type { ReportKey, ReportRange, ReportsSearch } from './reports-search.ts';

/** Search parameters of the list of sends. */
export interface SendsOfRow {
  readonly from: string;
  readonly to: string;
  readonly service?: string;
  readonly campaign?: string;
  readonly zone?: string;
  readonly mode?: Send['mode'];
  readonly code?: string;
  readonly state?: SendSetName;
}

const UNIT_MS = { hour: 3_600_000, day: 86_400_000 } as const;

/** undefined: no list can be restricted to this row, for sends are not listed by these keys. */
export function sendsOfRow(row: KeyedRow, search: ReportsSearch, range: ReportRange): SendsOfRow | undefined {
  const { service, campaign, zone } = search;
  let found: SendsOfRow | undefined = {
    ...range,
    ...(service !== undefined && { service }),
    ...(campaign !== undefined && { campaign }),
    ...(zone !== undefined && { zone }),
  };
  for (const [key, value] of Object.entries(row.key)) {
    const more: Partial<SendsOfRow> | undefined = restricted(key as ReportKey, value, range);
    found = found === undefined || more === undefined ? undefined : { ...found, ...more };
  }
  return found;
}

function restricted(
  key: ReportKey,
  value: string | null,
  range: ReportRange,
): Partial<SendsOfRow> | undefined {
  if (key === 'code') return { code: value ?? 'none' };
  if (value === null) return undefined;
  if (key === 'hour' || key === 'day') return within(range, Date.parse(value), UNIT_MS[key]);
  if (key === 'project') return { service: value };
  if (key === 'campaign') return { campaign: value };
  if (key === 'zone') return { zone: value };
  return key === 'mode' ? { mode: value as Send['mode'] } : undefined;
}

/** The first and the last day of a range are cut by it. */
function within(range: ReportRange, start: number, lengthMs: number): ReportRange {
  return {
    from: new Date(Math.max(start, Date.parse(range.from))).toISOString(),
    to: new Date(Math.min(start + lengthMs, Date.parse(range.to))).toISOString(),
  };
}
