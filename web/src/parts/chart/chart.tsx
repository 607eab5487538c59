// A chart of what a table beside it says in figures: its sentence is read to who does not see it, and a mark leads to where its row does.
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTexts } from '../../i18n/text.ts';
import { wholeText } from '../figure/figure-text.ts';
import type { ChartSeries, ChartSpec } from './chart-spec.ts';
import type { DrawnChart } from './draw-chart.ts';
import styles from './chart.module.css';

export interface ChartProps {
  readonly spec: ChartSpec;
  /** What it shows, in a sentence. */
  readonly sentence: string;
  /** Where a mark leads: its number, and of a bar the number of its series. */
  readonly open?: (mark: number, series: number) => void;
}

const ROW_PX = 26;
const AXIS_PX = 36;

export function Chart({ spec, sentence, open }: ChartProps) {
  const text = useTexts();
  const [failed, setFailed] = useState(false);
  const frame = useChart(spec, open, () => setFailed(true));
  const isTall = spec.kind === 'heat';
  return (
    <figure className={styles.figure}>
      <figcaption className={styles.sentence}>{sentence}</figcaption>
      {spec.kind === 'bars' && spec.series.length > 1 && <Legend series={spec.series} />}
      {failed ? (
        <p className={styles.sentence}>{text('chart.failed')}</p>
      ) : (
        <div
          ref={frame}
          role="img"
          aria-label={sentence}
          className={styles.canvas}
          {...(isTall && { style: { height: spec.down.length * ROW_PX + AXIS_PX } })}
        />
      )}
    </figure>
  );
}

/** One series needs none. */
function Legend({ series }: { readonly series: readonly ChartSeries[] }) {
  return (
    <div className={styles.legend}>
      {series.map(({ name, colour }) => (
        <span key={name} className={styles.series}>
          <span className={styles.swatch} style={{ background: colour }} aria-hidden="true" />
          {name}
        </span>
      ))}
    </div>
  );
}

/** The element of the chart, which is drawn anew when its data, its size or the colours change. */
function useChart(spec: ChartSpec, open: ChartProps['open'], fail: () => void) {
  const frame = useRef<HTMLDivElement>(null);
  const drawn = useRef<DrawnChart>(undefined);
  const latest = useRef({ spec, open, fail });
  latest.current = { spec, open, fail };
  const colours = useComputedColorScheme('light');
  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    let isGone = false;
    const sizes = new ResizeObserver(() => drawn.current?.resize());
    const begin = async (): Promise<void> => {
      const { openChart } = await import('./draw-chart.ts');
      if (isGone) return;
      drawn.current = openChart(element, (mark, series) => latest.current.open?.(mark, series), wholeText);
      drawn.current.draw(latest.current.spec);
      sizes.observe(element);
    };
    begin().catch(() => latest.current.fail());
    return () => {
      isGone = true;
      sizes.disconnect();
      drawn.current?.dispose();
      drawn.current = undefined;
    };
  }, []);
  // Answers come anew every 15 s: what did not change is not drawn again.
  const shown = JSON.stringify(spec);
  useEffect(() => drawn.current?.draw(latest.current.spec), [shown, colours]);
  return frame;
}
