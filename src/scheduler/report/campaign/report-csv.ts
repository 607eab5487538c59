// The rows of a campaign's report as CSV, a line for each row of the JSON. There is no line of totals, because a sum over a column
// would count it again (reports-csv.md, "CSV", says what each column is). Pure.
import { LENGTHS } from '../../store/send/measured-send.js';
import { COUNT_COLUMNS, LENGTH_FIGURES, SPREAD_MEMBERS } from '../figures/report-figures.js';
import { shownPages, type CountedRows, type ShownRow } from './report-json.js';
import { csvLines, type Columns } from '../csv.js';

type Line = ShownRow & Omit<CountedRows, 'rows'>;

const COLUMNS: Columns<Line> = [
  ['serviceId', ({ campaign }) => campaign.serviceId],
  ['campaignId', ({ campaign }) => campaign.campaignId],
  ['name', ({ campaign }) => campaign.name],
  ['occurrence', ({ occurrence }) => occurrence],
  ['zone', ({ zone }) => zone],
  ['zoneSource', ({ zoneSource }) => zoneSource],
  ['segment', ({ segment }) => segment],
  ['deviceType', ({ deviceType }) => deviceType],
  ['country', ({ country }) => country],
  ['localDate', ({ local }) => local?.reading.date],
  ['localTime', ({ local }) => local?.reading.time],
  ['localOffset', ({ local }) => local?.reading.offset],
  ['intendedAt', ({ intendedAt }) => intendedAt],
  ['dueAt', ({ dueAt }) => dueAt],
  ['mode', ({ mode }) => mode],
  ['rule', ({ rule }) => rule],
  ['skipped', ({ skipped }) => skipped],
  ...COUNT_COLUMNS,
  ['sentRate', ({ sentRate }) => sentRate.rate],
  ...LENGTHS.flatMap((length) => {
    const { csv, of } = LENGTH_FIGURES[length];
    return SPREAD_MEMBERS.map((member) => [`${csv}.${member}`, (line: Line) => of(line)[member]] as const);
  }),
  ['final', ({ final }) => final],
  ['balanced', ({ balanced }) => balanced],
  ['asOf', ({ asOf }) => asOf],
];

/** Documented one by one in docs/use/reports-csv.md, "CSV"; a test compares the two. */
export const CSV_HEADER = COLUMNS.map(([header]) => header);

export async function* reportCsv({ campaign, asOf, rows }: CountedRows): AsyncGenerator<string, void, void> {
  yield* csvLines(COLUMNS, lines());
  async function* lines(): AsyncGenerator<readonly Line[], void, void> {
    for await (const page of shownPages(rows)) yield page.map((row) => ({ ...row, campaign, asOf }));
  }
}
