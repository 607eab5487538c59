// Rows of a report beside those of another filter, by the same keys: one statement, so that they are of one moment and page
// together (http-api.md, "Over many campaigns").
import type { Sql } from '../../../platform/database/database.js';
import {
  pageIn,
  parametersOf,
  placeParameters,
  type GroupKey,
  type ReportAsk,
  type RowPlace,
} from './report-parts.js';

export interface RowPage {
  readonly after: RowPlace | undefined;
  readonly limit: number;
}

/** A row as it is found: alone, or with what it stands beside; null: that side has none. */
export type FoundBeside<Found> = {
  readonly k1: string | null;
  readonly k2: string | null;
  readonly planned: number;
  /** Not a row, but what all rows come to. */
  readonly whole: boolean;
} & (Found | { readonly own: Found | null; readonly compared: Found | null });

/** $1 to $8 are the filter's, $9 to $12 the page's. */
const PARAMETERS = 12;

const renumbered = (text: string): string =>
  text.replaceAll(/\$(\d+)/g, (_, number) => `$${Number(number) + PARAMETERS}`);

/** A query's text, whose rows have k1, k2, planned and whole: of minutes so many hours later. */
export type RowsOf = (ask: Pick<ReportAsk, 'by' | 'filter'>, laterHours: number) => string;

/** A page of such rows behind their whole, with the other side's beside them. What one side alone has is a row all the same. */
function reportPage(
  { by, filter, order, against }: ReportAsk,
  rows: RowsOf,
  { after, limit }: RowPage,
): readonly [text: string, parameters: readonly unknown[]] {
  const parameters = [...parametersOf(filter), ...placeParameters(after, limit)];
  if (against === undefined) return [`${rows({ by, filter }, 0)} ${pageIn(order)}`, parameters];
  const beside = `
select * from (
  select coalesce(o.k1, c.k1) as k1, coalesce(o.k2, c.k2) as k2, coalesce(o.planned, 0) as planned,
         coalesce(o.whole, c.whole) as whole, to_jsonb(o) as own, to_jsonb(c) as compared
    from (${rows({ by, filter }, 0)}) o full join (${renumbered(rows({ by, filter: against.filter }, against.laterHours))}) c
      on o.whole = c.whole and coalesce(o.k1, '') = coalesce(c.k1, '') and coalesce(o.k2, '') = coalesce(c.k2, '')) r ${pageIn(order)}`;
  return [beside, [...parameters, ...parametersOf(against.filter)]];
}

/** The rows of a page, and what all rows come to on the own side; undefined: there are none. */
export async function readPage<Found>(
  sql: Sql,
  ask: ReportAsk,
  rows: RowsOf,
  page: RowPage,
): Promise<{ readonly whole: Found | undefined; readonly rows: readonly FoundBeside<Found>[] }> {
  const found = await sql.query<FoundBeside<Found>>(...reportPage(ask, rows, page));
  const whole = found.find((row) => row.whole);
  return {
    whole: whole && (sidesOf<Found>(whole).own ?? undefined),
    rows: found.filter((row) => !row.whole),
  };
}

const PAGE = 500;

/** All such rows, in pages; `sql` is a transaction of one moment. */
export async function* allRows<Found>(
  sql: Sql,
  ask: ReportAsk,
  rows: RowsOf,
): AsyncGenerator<readonly FoundBeside<Found>[], void, void> {
  const [text, parameters] = reportPage(ask, rows, { after: undefined, limit: Number.MAX_SAFE_INTEGER });
  await sql.query(`declare report_rows no scroll cursor for ${text}`, parameters);
  for (;;) {
    const page = await sql.query<FoundBeside<Found>>(`fetch ${PAGE} from report_rows`);
    if (page.length > 0) yield page.filter((row) => !row.whole);
    if (page.length < PAGE) return;
  }
}

/** Both sides of a row; the other one undefined where none was asked for. */
export function sidesOf<Found>(row: FoundBeside<Found>): {
  readonly own: Found | null;
  readonly compared: Found | null | undefined;
} {
  return 'own' in row ? { own: row.own, compared: row.compared } : { own: row, compared: undefined };
}

/** Of rows c: the name of the campaign that they are by, in the columns campaign_id and name, and where it is from. */
export const campaignNames = (
  by: readonly GroupKey[],
): { readonly columns: string; readonly join: string } =>
  by.includes('campaign')
    ? {
        columns: 'k.campaign_id, k.name',
        join: `left join campaign k on k.id = c.k${by.indexOf('campaign') + 1}::uuid`,
      }
    : { columns: 'null as campaign_id, null as name', join: '' };

export interface NamedCampaign {
  readonly campaign_id: string | null;
  readonly name: string | null;
}

/** As a row shows it, where it is known. */
export function campaignOf(found: NamedCampaign | null | undefined): {
  readonly campaign?: { readonly campaignId: string; readonly name: string | null };
} {
  const { campaign_id: campaignId = null, name = null } = found ?? {};
  return campaignId === null ? {} : { campaign: { campaignId, name } };
}

export const placeOf = ({ k1, k2, planned }: FoundBeside<unknown>): RowPlace => ({
  k1: k1 ?? '',
  k2: k2 ?? '',
  planned,
});
