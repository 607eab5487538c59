// The bars of a forecast: every step has one, and what is too much to tell apart is added up.
import { describe, expect, it } from 'vitest';
import type { ForecastStep } from '../../api/forecast.ts';
import { loadBars } from './forecast-chart.ts';

const stepOf = (at: string, key: string, requests: number): ForecastStep => ({
  at: `2027-03-01T${at}:00Z`,
  key,
  campaignId: null,
  requests,
  backlog: null,
  lateMs: 0,
});
const RANGE = { from: '2027-03-01T09:00:00Z', to: '2027-03-01T12:00:00Z', step: 'hour' } as const;

describe('loadBars', () => {
  it('has a step for each hour, also without load', () => {
    const steps = [stepOf('09:00', 'shop', 5), stepOf('11:00', 'shop', 7), stepOf('11:00', 'news', 9)];
    const { steps: instants, series } = loadBars({ ...RANGE, steps }, ({ key }) => key, 'others');
    expect(instants).toHaveLength(3);
    expect(series.map(({ name, values }) => [name, values])).toEqual([
      ['shop', [5, 0, 7]],
      ['news', [0, 0, 9]],
    ]);
  });

  it('adds up what is beyond seven series, and loses nothing', () => {
    const steps = Array.from({ length: 20 }, (_, index) => stepOf('10:00', `zone-${index}`, 20 - index));
    const { series } = loadBars({ ...RANGE, steps }, ({ key }) => key, 'others');
    expect(series.map(({ name }) => name).at(-1)).toBe('others');
    expect(series).toHaveLength(7);
    expect(series.flatMap(({ values }) => values).reduce((sum, value) => (sum ?? 0) + (value ?? 0), 0)).toBe(
      210,
    );
  });
});
