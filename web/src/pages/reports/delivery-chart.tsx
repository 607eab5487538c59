// The chart of the report of delivery: by one key bars of what became of the sends, by two keys a map of heat.
import type { SummaryRow } from '../../api/reports.ts';
import { useTexts } from '../../i18n/text.ts';
import { Chart } from '../../parts/chart/chart.tsx';
import { wholeText } from '../../parts/figure/figure-text.ts';
import { useClock } from '../../parts/time/clock-context.ts';
import { DELIVERY_TERMS, deliveryTerms, SET_OF, TERM_COLOURS } from './delivery-terms.ts';
import { keyText } from './key-text.ts';
import { barsOf, heatOf } from './report-chart.ts';
import type { ReportKey, ReportRange, ReportsSearch } from './reports-search.ts';
import { sendsOfRow, type SendsOfRow } from './row-sends.ts';

export interface DeliveryChartProps {
  readonly rows: readonly SummaryRow[];
  readonly keys: readonly [ReportKey, ...ReportKey[]];
  readonly search: ReportsSearch;
  readonly range: ReportRange;
  readonly open: (sends: SendsOfRow) => void;
}

export function DeliveryChart({ rows, keys, search, range, open }: DeliveryChartProps) {
  const text = useTexts();
  const { clock, now } = useClock();
  const words = { text, clock: clock === 'utc' ? clock : 'mine', now: now() } as const;
  const charted = rows.map((row) => ({
    names: keys.map((key) => keyText(key, row, words)),
    value: row.sends['planned'] ?? 0,
  }));
  const sentence = sentenceOf(charted, text);
  const [first, second] = keys;
  const openRow = (index: number, more: Partial<SendsOfRow>): void => {
    const row = rows[index];
    const sends = row === undefined ? undefined : sendsOfRow(row, search, range);
    if (sends !== undefined) open({ ...sends, ...more });
  };
  if (second !== undefined) {
    const { spec, rowOf, left } = heatOf(charted, [first, second], text('plan.sends'));
    return (
      <Chart
        spec={spec}
        sentence={left > 0 ? `${sentence} ${text('reports.inTable', { count: left })}` : sentence}
        open={(mark) => openRow(rowOf[mark] ?? -1, {})}
      />
    );
  }
  const terms = rows.map(({ sends }) => deliveryTerms(sends));
  const shown = DELIVERY_TERMS.filter((term) => terms.some((counts) => counts[term] > 0));
  const spec = barsOf(
    charted.map(({ names }) => names[0] ?? ''),
    shown.map((term) => ({
      name: text(`reports.term.${term}`),
      colour: TERM_COLOURS[term],
      values: terms.map((counts) => counts[term]),
    })),
    text('plan.sends'),
  );
  return (
    <Chart
      spec={spec}
      sentence={sentence}
      open={(mark, series) => {
        const term = shown[series];
        openRow(mark, term === undefined ? {} : { state: SET_OF[term] });
      }}
    />
  );
}

function sentenceOf(
  rows: readonly { readonly names: readonly string[]; readonly value: number }[],
  text: ReturnType<typeof useTexts>,
): string {
  const total = rows.reduce((sum, { value }) => sum + value, 0);
  const [most] = rows.toSorted((one, other) => other.value - one.value);
  return text('reports.sentence', {
    total: wholeText(total),
    most: wholeText(most?.value ?? 0),
    name: most?.names.join(', ') ?? '–',
  });
}
