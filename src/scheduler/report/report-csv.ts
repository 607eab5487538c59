// A campaign's report as CSV lines: the same rows and totals as the JSON, one line each, totals last. Pure.
import { DEVICE_TERMS, REPORT_TERMS } from '../store/send/read/report.store.js';
import type { CampaignReport, ShownFigures } from './campaign-report.js';
import { csvLine, type CsvValue } from './csv.js';

const DIMENSIONS = [
  'campaignId',
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
] as const;

const SPREADS = ['lateImmediate', 'lateReserved', 'deferral', 'recoveredAfter'];
const SPREAD_PARTS = ['count', 'p50Ms', 'p95Ms', 'p99Ms', 'maxMs'] as const;

const HEADER = [
  ...DIMENSIONS,
  ...REPORT_TERMS.map((term) => `sends.${term}`),
  ...DEVICE_TERMS.map((term) => `devices.${term}`),
  'sentRate',
  ...SPREADS.flatMap((name) => SPREAD_PARTS.map((part) => `${name}.${part}`)),
  'final',
  'balanced',
  'asOf',
];

/** Yields line by line, so that an answer is never held whole. */
export function* reportCsv(report: CampaignReport): Generator<string, void, void> {
  yield csvLine(HEADER);
  const { campaignId } = report.campaign;
  for (const row of report.rows) {
    const { reading } = (row.local ?? {}) as { reading?: { date: string; time: string; offset: string } };
    const dimensions: Record<(typeof DIMENSIONS)[number], CsvValue> = {
      ...row,
      campaignId,
      localDate: reading?.date,
      localTime: reading?.time,
      localOffset: reading?.offset,
    };
    yield csvLine([...DIMENSIONS.map((name) => dimensions[name]), ...figures(row), report.asOf]);
  }
  const totals = DIMENSIONS.map((name) =>
    name === 'campaignId' ? campaignId : name === 'occurrence' ? 'total' : null,
  );
  yield csvLine([...totals, ...figures(report.totals), report.asOf]);
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
