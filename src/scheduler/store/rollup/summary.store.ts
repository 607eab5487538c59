// GET /v1/reports/summary in SQL: sends and devices by one or two keys over many campaigns, from the parts of a report. Rows and
// totals are counted each on their own. Reads only, in the caller's snapshot.
import type { Sql } from '../../../platform/database/database.js';
import { sqlList } from '../../../platform/database/sql-list.js';
import { SEND_TERMS, statesOfTerm } from '../../decide/lifecycle/send-state.js';
import { COUNTED, DEVICE_TERMS, kindOf, type DeviceTerm } from '../send/read/report-figures.js';
import { REPORT_TERMS, type ReportTerm } from '../send/read/report.store.js';
import { ENDED, NUMBERS, SEND_KEYS } from './counted-sends.js';
import {
  filtered,
  keyColumns,
  keyOf,
  pageIn,
  parametersOf,
  placeParameters,
  pruned,
  REPORT_PARTS,
  type GroupKey,
  type ReportFilter,
  type RowOrder,
  type RowPlace,
} from './report-parts.js';

/** Why sends came to something else than `sent`, and how many. */
export interface Reason {
  readonly state: string;
  readonly code: string | null;
  readonly sends: number;
}

export interface SummaryFigures {
  readonly sends: Readonly<Record<ReportTerm, number>>;
  readonly devices: Readonly<Record<DeviceTerm, number>>;
  readonly reasons: readonly Reason[];
  /** All of them have ended. */
  readonly final: boolean;
}
export interface SummaryRow extends SummaryFigures {
  readonly key: Partial<Record<GroupKey, string | null>>;
  /** Where it is grouped by campaign, as long as that is known. */
  readonly campaign?: { readonly campaignId: string; readonly name: string | null };
  readonly place: RowPlace;
}

export interface SummaryAsk {
  readonly by: readonly GroupKey[];
  readonly filter: ReportFilter;
  readonly order: RowOrder;
}

type Figures = Record<`sends_${ReportTerm}` | `devices_${DeviceTerm}`, number> & {
  reasons: readonly Reason[] | null;
  final: boolean | null;
};
type Found = Figures & {
  k1: string | null;
  k2: string | null;
  campaign_id: string | null;
  name: string | null;
};

const COLUMNS = [...SEND_KEYS, ...NUMBERS].join(', ');
const TERMS = [
  'coalesce(sum(m.sends), 0)::float8 as sends_planned',
  ...SEND_TERMS.map(
    (term) =>
      `coalesce(sum(m.sends) filter (where m.state in ${sqlList(statesOfTerm(term))}), 0)::float8 as sends_${term}`,
  ),
  ...DEVICE_TERMS.map((term) => `(${COUNTED[`devices_${term}`]})::float8 as devices_${term}`),
  `bool_and(m.state in ${ENDED}) as final`,
].join(', ');

const AS_WANTED = sqlList([...statesOfTerm('sent'), ...statesOfTerm('open'), ...statesOfTerm('standing')]);
const REASONS = `
jsonb_agg(jsonb_build_object('state', m.state, 'code', m.code, 'sends', m.sends) order by m.sends desc, m.state, m.code)
  filter (where m.sends <> 0 and m.state not in ${AS_WANTED}) as reasons`;

// Each row of alike is of one reason, for what is counted as what kind of devices is told by its state.
const rows = (by: readonly GroupKey[]): string => `
with ${REPORT_PARTS},
parts as (
  select ${keyColumns(by)}, m.state, m.code, ${kindOf('m')} as kind, ${NUMBERS.map((name) => `m.${name}`).join(', ')}
    from (${filtered(COLUMNS, 'send_rollup')} union all ${filtered(COLUMNS, 'lacking')}) m),
alike as (
  select k1, k2, state, code, kind, ${NUMBERS.map((name) => `sum(${name}) as ${name}`).join(', ')} from parts group by 1, 2, 3, 4, 5
  having ${NUMBERS.map((name) => `sum(${name}) <> 0`).join(' or ')}),
counted as (select k1, k2, ${TERMS}, ${REASONS} from alike m group by k1, k2)
select * from (
  select c.*, c.sends_planned as planned, ${by.includes('campaign') ? 'k.campaign_id, k.name' : 'null as campaign_id, null as name'}
    from counted c${by.includes('campaign') ? ` left join campaign k on k.id = c.k${by.indexOf('campaign') + 1}::uuid` : ''}) r`;

const NONE: SummaryFigures = {
  sends: zeros(REPORT_TERMS),
  devices: zeros(DEVICE_TERMS),
  reasons: [],
  final: true,
};

/** Of all that the filter takes, by no key. */
export async function summaryTotals(sql: Sql, filter: ReportFilter): Promise<SummaryFigures> {
  const [row] = await summaryPage(sql, { by: [], filter, order: 'key' }, { after: undefined, limit: 1 });
  if (row === undefined) return NONE;
  const { sends, devices, reasons, final } = row;
  return { sends, devices, reasons, final };
}

export async function summaryPage(
  sql: Sql,
  { by, filter, order }: SummaryAsk,
  page: { readonly after: RowPlace | undefined; readonly limit: number },
): Promise<SummaryRow[]> {
  await pruned(sql);
  const found = await sql.query<Found>(`${rows(by)} ${pageIn(order)}`, [
    ...parametersOf(filter),
    ...placeParameters(page.after, page.limit),
  ]);
  return found.map((row) => shown(by, row));
}

const PAGE = 500;

/** All rows, in pages; `sql` is a transaction of one moment. */
export async function* summaryRows(
  sql: Sql,
  { by, filter, order }: SummaryAsk,
): AsyncGenerator<readonly SummaryRow[], void, void> {
  await pruned(sql);
  await sql.query(`declare summary_rows no scroll cursor for ${rows(by)} ${pageIn(order)}`, [
    ...parametersOf(filter),
    ...placeParameters(undefined, Number.MAX_SAFE_INTEGER),
  ]);
  for (;;) {
    const page = await sql.query<Found>(`fetch ${PAGE} from summary_rows`);
    if (page.length > 0) yield page.map((row) => shown(by, row));
    if (page.length < PAGE) return;
  }
}

function shown(by: readonly GroupKey[], row: Found): SummaryRow {
  const figures = figuresOf(row);
  return {
    key: keyOf(by, row),
    ...(row.campaign_id !== null && { campaign: { campaignId: row.campaign_id, name: row.name } }),
    ...figures,
    place: { k1: row.k1 ?? '', k2: row.k2 ?? '', planned: figures.sends.planned },
  };
}

function figuresOf(row: Figures): SummaryFigures {
  return {
    sends: Object.fromEntries(
      REPORT_TERMS.map((term) => [term, row[`sends_${term}`]]),
    ) as SummaryFigures['sends'],
    devices: Object.fromEntries(
      DEVICE_TERMS.map((term) => [term, row[`devices_${term}`]]),
    ) as SummaryFigures['devices'],
    reasons: row.reasons ?? [],
    final: row.final ?? true,
  };
}

function zeros<Key extends string>(keys: readonly Key[]): Record<Key, number> {
  return Object.fromEntries(keys.map((key) => [key, 0])) as Record<Key, number>;
}
