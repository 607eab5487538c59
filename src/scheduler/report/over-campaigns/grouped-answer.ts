// The members that the answers of a summary and of lateness share: the keys of rows, and the other side of a comparison (reports.md,
// "Over many campaigns"). Pure.
import { z } from 'zod';
import { listOf } from '../../../platform/http/zod-schemas.js';
import type { GroupedReport, GroupedRow } from './grouped-report.store.js';
import { GROUP_KEYS, type GroupKey, type Key } from './grouped-rows.js';
import { NOT_COMPARED, WEEK_BEFORE, type Comparison, type NotCompared } from './comparison.js';
import { csvLines, type Columns } from '../csv.js';

export const KEYS = Object.keys(GROUP_KEYS) as [GroupKey, ...GroupKey[]];

const key = z
  .partialRecord(z.enum(KEYS), z.string().nullable())
  .describe('The value of each key of groupBy; null: there is none, as a standing message has no due');

const rowCampaign = z
  .object({ campaignId: z.string(), name: z.string().nullable() })
  .optional()
  .describe('Only where groupBy names campaign, whose key is our id');

const IF_ASKED = 'where compareWith asks for it';

export const ComparedCampaign = z.object({
  id: z.uuid(),
  serviceId: z.string(),
  campaignId: z.string(),
  name: z.string().nullable(),
});

/** The other side of the comparison, as the answer shows it. */
export const ComparisonShown = z
  .object({
    with: z.union([z.literal(WEEK_BEFORE), z.uuid()]),
    campaign: ComparedCampaign.nullable().describe('The other campaign, where it is known'),
    from: z.iso.datetime().nullable().describe('Due at or after it …'),
    to: z.iso.datetime().nullable().describe('… and before it, on the other side'),
  })
  .describe(`The other side, ${IF_ASKED}`);
export type ComparisonShown = z.output<typeof ComparisonShown>;

/** The members with the other side of a row, or of the totals. */
const besideMembers = <Shown extends z.ZodType>(shown: Shown) => ({
  compared: shown.nullable().optional().describe(`The other side, ${IF_ASKED}; null: notCompared says why`),
  notCompared: z
    .enum(NOT_COMPARED)
    .nullable()
    .optional()
    .describe(
      'Why there is no other side: it is no longer kept, it is kept only in sums over longer times, or the campaign is not known (any more)',
    ),
});

/** The members of an answer whose totals and rows show figures of that schema; `name` is the prefix of their schemas' names. */
export const groupedMembers = <Shape extends z.ZodRawShape>(shown: z.ZodObject<Shape>, name: string) => ({
  totals: z
    .object({ ...shown.shape, ...besideMembers(shown.meta({ id: `Compared${name}Totals` })) })
    .meta({ id: `${name}Totals` })
    .describe('The totals of all rows, not only of those on the page'),
  rows: listOf(
    z
      .object({
        ...shown.shape,
        key,
        campaign: rowCampaign,
        ...besideMembers(z.object({ ...shown.shape, key }).meta({ id: `Compared${name}Row` })),
      })
      .meta({ id: `${name}Row` }),
  ),
  nextCursor: z.string().nullable(),
});

/** A report over many campaigns: how it is read, and how its figures are shown. */
export interface GroupedAnswer<Found extends object, Figures, Shown extends object> {
  readonly name: string;
  readonly report: GroupedReport<Found, Figures>;
  readonly show: (figures: Figures) => Shown;
  /** Their values are empty for a side that is not there. */
  readonly columns: Columns<Shown>;
}

export interface Beside<Shown> {
  readonly compared?: Shown | null;
  readonly notCompared?: NotCompared | null;
}

/** `figures` are undefined where the other side was not read. */
export function besideOf<Figures, Shown>(
  figures: Figures | undefined,
  notCompared: NotCompared | null,
  show: (figures: Figures) => Shown,
): Required<Beside<Shown>> {
  if (notCompared !== null) return { compared: null, notCompared };
  if (figures === undefined) throw new Error('the other side of a row was not read');
  return { compared: show(figures), notCompared };
}

type Line<Shown> = Shown &
  Pick<GroupedRow<Shown>, 'key' | 'campaign'> &
  Beside<Shown & { readonly key: Key }>;

/** `comparison`: where one was asked for. */
export const lineOf = <Figures, Shown extends object>(
  { key: own, campaign, figures, compared }: GroupedRow<Figures>,
  show: (figures: Figures) => Shown,
  comparison: Comparison | undefined,
): Line<Shown> => ({
  key: own,
  ...(campaign !== undefined && { campaign }),
  ...show(figures),
  ...(comparison !== undefined &&
    besideOf(compared, comparison.notComparedOf(own), (other) => ({
      key: comparison.keyOf(own),
      ...show(other),
    }))),
});

/**
 * Rows as CSV, a line for each row of the JSON and none for the totals (reports-csv.md, "CSV over many campaigns", says what each
 * column is).
 */
export function groupedCsv<Found extends object, Figures, Shown extends object>(
  { show, columns }: GroupedAnswer<Found, Figures, Shown>,
  { by, asOf, comparison }: GroupedCsv,
  pages: AsyncIterable<readonly GroupedRow<Figures>[]>,
): AsyncGenerator<string, void, void> {
  const moved = comparison === undefined ? [] : by.filter((name) => comparison.movedKeys.includes(name));
  const all: Columns<Line<Shown>> = [
    ...by.map((name) => [name, (line: Line<Shown>) => line.key[name]] as const),
    ...(by.includes('campaign') ? (['campaignId', 'name'] as const) : []).map(
      (name) => [name, ({ campaign }: Line<Shown>) => campaign?.[name]] as const,
    ),
    ...columns,
    ...moved.map((name) => [`compared.${name}`, (line: Line<Shown>) => line.compared?.key[name]] as const),
    ...(comparison === undefined ? [] : columns).map(
      ([header, of]) =>
        [`compared.${header}`, ({ compared }: Line<Shown>) => compared && of(compared)] as const,
    ),
    ...(comparison === undefined ? [] : [['notCompared', (line: Line<Shown>) => line.notCompared] as const]),
    ['asOf', () => asOf],
  ];
  return csvLines(all, linesOf());
  async function* linesOf(): AsyncGenerator<readonly Line<Shown>[], void, void> {
    for await (const page of pages) yield page.map((row) => lineOf(row, show, comparison));
  }
}

export interface GroupedCsv {
  readonly by: readonly GroupKey[];
  readonly asOf: string;
  /** Where one was asked for. */
  readonly comparison: Comparison | undefined;
}
