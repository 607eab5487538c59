// The rows of a campaign's report as CSV, those of the JSON, a line each; no line of totals, which a sum over a column would
// count again (reports.md, "CSV", says what each column is). Pure.
import { DEVICE_TERMS } from '../store/send/read/report-figures.js';
import { REPORT_TERMS } from '../store/send/read/report.store.js';
import { shownPages, type CountedRows, type ShownFigures } from './campaign-report.js';
import { csvLine, type CsvValue } from './csv.js';

const DIMENSIONS = [
  'serviceId',
  'campaignId',
  'name',
  'occurrence',
  'zone',
  'zoneSource',
  'segment',
  'deviceType',
  'country',
  'localDate',
  'localTime',
  'localOffset',
  'intendedAt',
  'dueAt',
  'mode',
  'rule',
  'skipped',
] as const;

const SPREADS = ['lateImmediate', 'lateReserved', 'deferral', 'recoveredAfter'];
/** Of lengths of one kind. */
export const SPREAD_PARTS = ['count', 'p50Ms', 'p95Ms', 'p99Ms', 'maxMs'] as const;

/** Documented one by one in docs/reports.md, "CSV"; a test compares the two. */
export const CSV_HEADER = [
  ...DIMENSIONS,
  ...REPORT_TERMS.map((term) => `sends.${term}`),
  ...DEVICE_TERMS.map((term) => `devices.${term}`),
  'sentRate',
  ...SPREADS.flatMap((name) => SPREAD_PARTS.map((part) => `${name}.${part}`)),
  'final',
  'balanced',
  'asOf',
];

export async function* reportCsv({ campaign, asOf, rows }: CountedRows): AsyncGenerator<string, void, void> {
  yield csvLine(CSV_HEADER);
  const { serviceId, campaignId, name } = campaign;
  for await (const page of shownPages(rows))
    yield page
      .map((row) => {
        const { reading } = row.local ?? {};
        const dimensions: Record<(typeof DIMENSIONS)[number], CsvValue> = {
          ...row,
          serviceId,
          campaignId,
          name,
          localDate: reading?.date,
          localTime: reading?.time,
          localOffset: reading?.offset,
        };
        return csvLine([...DIMENSIONS.map((dimension) => dimensions[dimension]), ...figures(row), asOf]);
      })
      .join('');
}

function figures(shown: ShownFigures): CsvValue[] {
  const { lateness, deferral, recoveredAfter } = shown;
  return [
    ...REPORT_TERMS.map((term) => shown.sends[term]),
    ...DEVICE_TERMS.map((term) => shown.devices[term]),
    shown.sentRate.rate,
    ...[lateness.immediate, lateness.reserved, deferral, recoveredAfter].flatMap((spread) =>
      SPREAD_PARTS.map((part) => spread[part]),
    ),
    shown.final,
    shown.balanced,
  ];
}
