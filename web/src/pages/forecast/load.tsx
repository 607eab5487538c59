// The load of each step as a chart, and in a sentence whether it gets through.
import { useNavigate } from '@tanstack/react-router';
import type { Forecast, ForecastStep } from '../../api/forecast.ts';
import { useTexts, type Texts } from '../../i18n/text.ts';
import { Chart } from '../../parts/chart/chart.tsx';
import { wholeText } from '../../parts/figure/figure-text.ts';
import { useClock } from '../../parts/time/clock-context.ts';
import { lengthText } from '../../parts/time/length-text.ts';
import { readingFor } from '../../parts/time/reading.ts';
import { loadBars } from './forecast-chart.ts';

const STEP_MS = { minute: 60_000, hour: 3_600_000 } as const;

export function Load({ forecast }: { readonly forecast: Forecast }) {
  const text = useTexts();
  const navigate = useNavigate();
  const { clock, now } = useClock();
  const reading = (at: string): string =>
    readingFor(clock === 'utc' ? clock : 'mine', Date.parse(at), {}, { locale: text.locale, now: now() })
      .text;
  const { steps, series } = loadBars(forecast, stepName, text('forecast.others'));
  const open = (mark: number): void => {
    const at = steps[mark];
    if (at === undefined) return;
    const to = new Date(Date.parse(at) + STEP_MS[forecast.step]).toISOString();
    void navigate({ to: '/sends', search: { from: at, to, state: 'open' } });
  };
  return (
    <Chart
      spec={{
        kind: 'bars',
        unit: text(`forecast.unit.${forecast.step}`),
        marks: steps.map(reading),
        series: series.filter(({ values }) => values.some((value) => (value ?? 0) > 0)),
      }}
      sentence={sentenceOf(forecast, reading, text)}
      open={open}
    />
  );
}

export const stepName = ({ key, campaignId }: ForecastStep): string => campaignId ?? key;

function sentenceOf(
  { projects, steps, lateCampaigns, step }: Forecast,
  reading: (at: string) => string,
  text: Texts,
): string {
  const total = projects.reduce((sum, { requests }) => sum + requests, 0);
  const byStep = new Map<string, number>();
  for (const { at, requests } of steps) byStep.set(at, (byStep.get(at) ?? 0) + requests);
  const [peak] = [...byStep].toSorted(([, one], [, other]) => other - one);
  const [worst] = projects.toSorted((one, other) => other.lateMs - one.lateMs);
  const load = text('forecast.sentence', {
    total: wholeText(total),
    peak: wholeText(peak?.[1] ?? 0),
    at: peak === undefined ? '–' : reading(peak[0]),
    step: text(`forecast.unit.${step}`),
  });
  const isLate = worst !== undefined && worst.lateMs > 0;
  const lateness = isLate
    ? text('forecast.worst', { project: worst.serviceId, late: lengthText(worst.lateMs, text) })
    : text('forecast.inTime');
  return `${load} ${lateness} ${text('forecast.misses', { count: lateCampaigns })}`;
}
