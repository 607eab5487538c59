// What a chart is to show, apart from how it is drawn. Values are counts from zero. Pure.

export interface ChartSeries {
  readonly name: string;
  /** A CSS colour, such as `var(--state-sent)`. */
  readonly colour: string;
  /** One for each mark; null: unknown, and a gap. */
  readonly values: readonly (number | null)[];
}

/** Bars, the series stacked. */
export interface Bars {
  readonly kind: 'bars';
  readonly marks: readonly string[];
  readonly series: readonly ChartSeries[];
}

/** One value for each place of two axes; a place without a cell stays empty. */
export interface Heat {
  readonly kind: 'heat';
  readonly across: readonly string[];
  readonly down: readonly string[];
  readonly cells: readonly HeatCell[];
}

export interface HeatCell {
  /** Into `across` and `down`. */
  readonly x: number;
  readonly y: number;
  readonly value: number;
}

export type ChartSpec = (Bars | Heat) & {
  /** What is counted, and on whose clock. */
  readonly unit: string;
};
