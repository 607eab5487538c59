// GET /v1/reports/summary in SQL: sends and devices by one or two keys over many campaigns, from the parts of a report. Rows and
// totals are counted each on their own. Reads only, in the caller's snapshot.
import type { Sql } from '../../../platform/database/database.js';
import { sqlList } from '../../../platform/database/sql-list.js';
import { SEND_TERMS, statesOfTerm } from '../../decide/lifecycle/send-state.js';
import { COUNTED, DEVICE_TERMS, kindOf, type DeviceTerm } from '../send/read/report-figures.js';
import { REPORT_TERMS, type ReportTerm } from '../send/read/report.store.js';
import { ENDED, NUMBERS, SEND_KEYS } from './counted-sends.js';
import {
  allRows,
  campaignNames,
  campaignOf,
  placeOf,
  reportPage,
  sidesOf,
  type FoundBeside,
  type NamedCampaign,
  type ReportAsk,
  type RowPage,
} from './against.js';
import {
  filtered,
  keyColumns,
  keyOf,
  pruned,
  REPORT_PARTS,
  type GroupKey,
  type ReportFilter,
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
  /** Where it stands beside another side's. */
  readonly compared?: SummaryFigures;
}

type Figures = Record<`sends_${ReportTerm}` | `devices_${DeviceTerm}`, number> & {
  reasons: readonly Reason[] | null;
  final: boolean | null;
};
type Found = Figures & NamedCampaign;

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
const rows = (by: readonly GroupKey[], laterHours: number): string => `
with ${REPORT_PARTS},
parts as (
  select ${keyColumns(by, laterHours)}, m.state, m.code, ${kindOf('m')} as kind, ${NUMBERS.map((name) => `m.${name}`).join(', ')}
    from (${filtered(COLUMNS, 'send_rollup')} union all ${filtered(COLUMNS, 'lacking')}) m),
alike as (
  select k1, k2, state, code, kind, ${NUMBERS.map((name) => `sum(${name}) as ${name}`).join(', ')} from parts group by 1, 2, 3, 4, 5
  having ${NUMBERS.map((name) => `sum(${name}) <> 0`).join(' or ')}),
counted as (select k1, k2, ${TERMS}, ${REASONS} from alike m group by k1, k2)
select * from (
  select c.*, c.sends_planned as planned, ${campaignNames(by).columns} from counted c ${campaignNames(by).join}) r`;

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

export async function summaryPage(sql: Sql, ask: ReportAsk, page: RowPage): Promise<SummaryRow[]> {
  await pruned(sql);
  const found = await sql.query<FoundBeside<Found>>(...reportPage(ask, rows, page));
  return found.map((row) => shown(ask.by, row));
}

/** All rows, in pages; `sql` is a transaction of one moment. */
export async function* summaryRows(
  sql: Sql,
  ask: ReportAsk,
): AsyncGenerator<readonly SummaryRow[], void, void> {
  for await (const page of allRows<Found>(sql, ask, rows)) yield page.map((row) => shown(ask.by, row));
}

function shown(by: readonly GroupKey[], row: FoundBeside<Found>): SummaryRow {
  const { own, compared } = sidesOf<Found>(row);
  return {
    key: keyOf(by, row),
    ...campaignOf(own ?? compared),
    ...(own === null ? NONE : figuresOf(own)),
    ...(compared !== undefined && { compared: compared === null ? NONE : figuresOf(compared) }),
    place: placeOf(row),
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
