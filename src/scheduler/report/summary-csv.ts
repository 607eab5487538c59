// The rows of a summary and of lateness as CSV, those of the JSON, a line each, and no line of totals (http-api.md, "Reports"). Pure.
import type { GroupKey } from '../store/rollup/report-parts.js';
import type { SummaryRow } from '../store/rollup/summary.store.js';
import { DEVICE_TERMS } from '../store/send/read/report-figures.js';
import { REPORT_TERMS } from '../store/send/read/report.store.js';
import { csvLine } from './csv.js';
import { shownLine } from './summary.js';

export async function* summaryCsv(
  by: readonly GroupKey[],
  asOf: string,
  pages: AsyncIterable<readonly SummaryRow[]>,
): AsyncGenerator<string, void, void> {
  const named = by.includes('campaign');
  yield csvLine([
    ...by,
    ...(named ? ['campaignId', 'name'] : []),
    ...REPORT_TERMS.map((term) => `sends.${term}`),
    ...DEVICE_TERMS.map((term) => `devices.${term}`),
    'sentRate',
    'final',
    'balanced',
    'asOf',
  ]);
  for await (const page of pages)
    yield page
      .map((row) => {
        const line = shownLine(row);
        return csvLine([
          ...by.map((key) => line.key[key]),
          ...(named ? [line.campaign?.campaignId, line.campaign?.name] : []),
          ...REPORT_TERMS.map((term) => line.sends[term]),
          ...DEVICE_TERMS.map((term) => line.devices[term]),
          line.sentRate.rate,
          line.final,
          line.balanced,
          asOf,
        ]);
      })
      .join('');
}
