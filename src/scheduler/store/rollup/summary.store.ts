// GET /v1/reports/summary in SQL: sends and devices by one or two keys over many campaigns, from the parts of a report, and their
// totals, of all rows whichever a page shows. Reads only, in the caller's snapshot.
import type { Sql } from '../../../platform/database/database.js';
import { sqlList } from '../../../platform/database/sql-list.js';
import { SEND_TERMS, statesOfTerm } from '../../decide/lifecycle/send-state.js';
import { COUNTED, DEVICE_TERMS, kindOf, type DeviceTerm } from '../send/read/report-figures.js';
import { REPORT_TERMS, type ReportTerm } from '../send/read/report.store.js';
import { NOT_TOLD } from './breakdown.store.js';
import { ENDED, NUMBERS, SEND_KEYS, SEND_ROLLUP } from './counted-sends.js';
import {
  allRows,
  campaignNames,
  campaignOf,
  placeOf,
  readPage,
  sidesOf,
  type FoundBeside,
  type NamedCampaign,
  type RowPage,
  type RowsOf,
} from './against.js';
import {
  filtered,
  keyColumns,
  keyOf,
  REPORT_PARTS,
  rolledUp,
  TOLD_GROUP_KEYS,
  TOLD_PARTS,
  type GroupKey,
  type ReportAsk,
  type ReportFilter,
  type RowPlace,
} from './report-parts.js';

/** Why sends came to something else than `sent`, and how many. */
export interface Reason {
  readonly state: string;
  readonly code: string | null;
  readonly sends: number;
}

export const TOLD_OUTCOMES = ['sent', 'failed', 'unknown', 'suppressed', 'notTold'] as const;
export type ToldOutcome = (typeof TOLD_OUTCOMES)[number];

/** What breakdowns told. */
export interface Told {
  readonly devices: Readonly<Record<ToldOutcome, number>>;
  /** Why devices came to something else than `sent`, and how many; the most first. */
  readonly reasons: readonly {
    readonly outcome: ToldOutcome;
    readonly reason: string | null;
    readonly devices: number;
  }[];
}

export interface SummaryFigures {
  readonly sends: Readonly<Record<ReportTerm, number>>;
  readonly devices: Readonly<Record<DeviceTerm, number>>;
  readonly reasons: readonly Reason[];
  /** All of them have ended. */
  readonly final: boolean;
  /** Where it is asked for. */
  readonly told?: Told;
}
export interface SummaryRow extends SummaryFigures {
  readonly key: Partial<Record<GroupKey, string | null>>;
  /** Where it is grouped by campaign, as long as that is known. */
  readonly campaign?: { readonly campaignId: string; readonly name: string | null };
  readonly place: RowPlace;
  /** Where it stands beside another side's. */
  readonly compared?: SummaryFigures;
}

export interface SummaryAsk extends ReportAsk {
  /** With what breakdowns tell, by which devices are split where a key says so. */
  readonly told?: boolean;
}

type Figures = Record<`sends_${ReportTerm}` | `devices_${DeviceTerm}`, number> & {
  reasons: readonly Reason[] | null;
  final: boolean | null;
  told?: Told['devices'];
  told_reasons?: Told['reasons'] | null;
};
type Found = Figures & NamedCampaign;

const COLUMNS = [...SEND_KEYS, "'all' as language", ...NUMBERS].join(', ');
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

const OUTCOME: Readonly<Record<ToldOutcome, string>> = {
  sent: 'sent',
  failed: 'failed',
  unknown: 'unknown',
  suppressed: 'suppressed',
  notTold: NOT_TOLD,
};
const NAME_OF_OUTCOME = `case m.outcome ${TOLD_OUTCOMES.map((name) => `when '${OUTCOME[name]}' then '${name}'`).join(' ')} end`;
const TOLD_TERMS = `
jsonb_build_object(${TOLD_OUTCOMES.map(
  (name) => `'${name}', coalesce(sum(m.told) filter (where m.outcome = '${OUTCOME[name]}'), 0)`,
).join(', ')}) as told,
jsonb_agg(jsonb_build_object('outcome', ${NAME_OF_OUTCOME}, 'reason', m.reason, 'devices', m.told) order by m.told desc, m.outcome, m.reason)
  filter (where m.told <> 0 and m.outcome <> 'sent') as told_reasons`;

/** Numbers of told devices that are targets of their send: what an outcome of theirs adds to each. */
const splitNumbers = (times: string): string =>
  [
    '0 as sends',
    ...['target', 'sent', 'failed'].map((number) => {
      const outcomes = {
        target: ['sent', 'failed', 'unknown'],
        sent: ['sent'],
        failed: ['failed', 'unknown'],
      };
      const counts = outcomes[number as keyof typeof outcomes];
      return `case when m.outcome in ${sqlList(counts)} then ${times} m.devices else 0 end as ${number}`;
    }),
  ].join(', ');

/**
 * As rows of parts: what is told, under its own keys; and the same once more, to be taken away where it stood before. Both are of
 * sends that have ended, and count none.
 */
function toldParts(by: readonly GroupKey[], laterHours: number): string {
  const splits = by.some((key) => TOLD_GROUP_KEYS.includes(key));
  const keys = SEND_KEYS.filter((name) => name !== 'device_type' && name !== 'country').join(', ');
  const kept = 'outcome, reason, devices';
  // Of what nobody can tell it is known what was asked for.
  const toldOr = (asked: string): string =>
    `case outcome when '${NOT_TOLD}' then ${asked} else told_${asked} end as ${asked}`;
  const moved = `select ${keys}, ${toldOr('device_type')}, ${toldOr('country')}, language, ${kept} from told`;
  const stood = `select ${keys}, device_type, country, 'all' as language, ${kept} from told`;
  const none = NUMBERS.map((name) => `0 as ${name}`).join(', ');
  const of = (from: string, numbers: string, told: string): string => `
  union all
  select ${keyColumns(by, laterHours)}, null, null, 'settled', ${numbers}, ${told} from (${from}) m`;
  const stands = of(moved, splits ? splitNumbers('') : none, 'm.outcome, m.reason, m.devices');
  return splits ? stands + of(stood, splitNumbers('-'), 'null, null, 0') : stands;
}

// Each row of alike is of one reason, for what is counted as what kind of devices is told by its state.
const rows =
  (told: boolean): RowsOf =>
  (ask, laterHours) => {
    const { by } = ask;
    const summed = told ? [...NUMBERS, 'told'] : NUMBERS;
    const alike = ['state', 'code', 'kind', ...(told ? ['outcome', 'reason'] : [])].join(', ');
    return `
with ${REPORT_PARTS},${told ? `${TOLD_PARTS},` : ''}
parts as (
  select ${keyColumns(by, laterHours)}, m.state, m.code, ${kindOf('m')} as kind, ${NUMBERS.map((name) => `m.${name}`).join(', ')}
         ${told ? ', null::text as outcome, null::text as reason, 0 as told' : ''}
    from (${rolledUp(COLUMNS, SEND_ROLLUP, ask)} union all ${filtered(COLUMNS, 'lacking')}) m${told ? toldParts(by, laterHours) : ''}),
alike as (
  select grouping(k1) = 1 as whole, k1, k2, ${alike}, ${summed.map((name) => `sum(${name}) as ${name}`).join(', ')}
    from parts group by grouping sets ((k1, k2, ${alike}), (${alike}))
  having ${summed.map((name) => `sum(${name}) <> 0`).join(' or ')}),
counted as (select whole, k1, k2, ${TERMS}, ${REASONS}${told ? `, ${TOLD_TERMS}` : ''} from alike m group by whole, k1, k2)
select * from (
  select c.*, c.sends_planned as planned, ${campaignNames(by).columns} from counted c ${campaignNames(by).join}) r`;
  };

const noneOf = (told: boolean): SummaryFigures => ({
  sends: zeros(REPORT_TERMS),
  devices: zeros(DEVICE_TERMS),
  reasons: [],
  final: true,
  ...(told && { told: { devices: zeros(TOLD_OUTCOMES), reasons: [] } }),
});

/** Of all that the filter takes, by no key. */
export async function summaryTotals(sql: Sql, filter: ReportFilter, told = false): Promise<SummaryFigures> {
  const ask: SummaryAsk = { by: [], filter, order: 'key', told };
  return (await summaryPage(sql, ask, { after: undefined, limit: 0 })).totals;
}

/** `totals`: of all rows, on the own side. */
export interface SummaryPage {
  readonly totals: SummaryFigures;
  readonly rows: readonly SummaryRow[];
}

export async function summaryPage(sql: Sql, ask: SummaryAsk, page: RowPage): Promise<SummaryPage> {
  const { told = false } = ask;
  const found = await readPage<Found>(sql, ask, rows(told), page);
  return {
    totals: found.whole === undefined ? noneOf(told) : figuresOf(found.whole),
    rows: found.rows.map((row) => shown(ask, row)),
  };
}

/** All rows, in pages; `sql` is a transaction of one moment. */
export async function* summaryRows(
  sql: Sql,
  ask: SummaryAsk,
): AsyncGenerator<readonly SummaryRow[], void, void> {
  for await (const page of allRows<Found>(sql, ask, rows(ask.told === true)))
    yield page.map((row) => shown(ask, row));
}

function shown({ by, told = false }: SummaryAsk, row: FoundBeside<Found>): SummaryRow {
  const { own, compared } = sidesOf<Found>(row);
  return {
    key: keyOf(by, row),
    ...campaignOf(own ?? compared),
    ...(own === null ? noneOf(told) : figuresOf(own)),
    ...(compared !== undefined && { compared: compared === null ? noneOf(told) : figuresOf(compared) }),
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
    ...(row.told !== undefined && { told: { devices: row.told, reasons: row.told_reasons ?? [] } }),
  };
}

function zeros<Key extends string>(keys: readonly Key[]): Record<Key, number> {
  return Object.fromEntries(keys.map((key) => [key, 0])) as Record<Key, number>;
}
