// Draws a chart by ECharts on a canvas. It is loaded when the first chart is shown. Tooltips are drawn too: an HTML one would set style
// attributes, which the policy of the page forbids.
import { BarChart, HeatmapChart } from 'echarts/charts';
import {
  AriaComponent,
  GridComponent,
  TooltipComponent,
  VisualMapContinuousComponent,
} from 'echarts/components';
import { init, use as load, type EChartsCoreOption } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';
import type { Bars, ChartSpec, Heat } from './chart-spec.ts';

load([
  AriaComponent,
  BarChart,
  CanvasRenderer,
  GridComponent,
  HeatmapChart,
  TooltipComponent,
  VisualMapContinuousComponent,
]);

export interface DrawnChart {
  readonly draw: (spec: ChartSpec) => void;
  readonly resize: () => void;
  readonly dispose: () => void;
}

/** `open` gets the number of the mark that was clicked, and of a bar its series. */
export function openChart(
  element: HTMLElement,
  open: (mark: number, series: number) => void,
  wholeText: (value: number) => string,
): DrawnChart {
  const chart = init(element, undefined, { renderer: 'canvas' });
  chart.on('click', ({ dataIndex, seriesIndex }) => open(dataIndex, seriesIndex ?? 0));
  return {
    draw: (spec) => {
      const ink = inkOf(element);
      const option = spec.kind === 'bars' ? barsOption(spec, ink) : heatOption(spec, ink);
      chart.setOption(
        {
          animation: false,
          textStyle: { fontFamily: ink.font, fontSize: 12, color: ink.of('var(--quiet)') },
          tooltip: {
            renderMode: 'richText',
            confine: true,
            backgroundColor: ink.of('var(--page)'),
            borderColor: ink.of('var(--line)'),
            textStyle: { color: ink.of('var(--text)'), fontSize: 12 },
            ...tooltipOf(spec, wholeText),
          },
          ...option,
        },
        { notMerge: true },
      );
    },
    resize: () => chart.resize(),
    dispose: () => chart.dispose(),
  };
}

interface Ink {
  readonly font: string;
  /** The colour of a CSS value as it is now, light or dark. */
  readonly of: (css: string) => string;
}

function inkOf(element: HTMLElement): Ink {
  const probe = document.createElement('span');
  element.append(probe);
  const known = new Map<string, string>();
  const of = (css: string): string => {
    probe.style.color = css;
    const colour = known.get(css) ?? getComputedStyle(probe).color;
    known.set(css, colour);
    return colour;
  };
  for (const token of ['quiet', 'page', 'line', 'text', 'accent', 'accent-wash', 'line-strong'])
    of(`var(--${token})`);
  return { font: getComputedStyle(element).fontFamily, of };
}

const axisInk = (ink: Ink) => ({
  axisLine: { lineStyle: { color: ink.of('var(--line-strong)') } },
  axisTick: { show: false },
  axisLabel: { color: ink.of('var(--quiet)'), hideOverlap: true },
  splitLine: { lineStyle: { color: ink.of('var(--line)') } },
});

function barsOption({ marks, series, unit }: Bars & { unit: string }, ink: Ink): EChartsCoreOption {
  return {
    grid: { left: 4, right: 8, top: 28, bottom: 4, outerBoundsMode: 'same' },
    aria: { enabled: true, label: { enabled: false }, decal: { show: series.length > 1 } },
    xAxis: { type: 'category', data: [...marks], ...axisInk(ink) },
    yAxis: {
      type: 'value',
      min: 0,
      minInterval: 1,
      name: unit,
      nameTextStyle: { align: 'left', color: ink.of('var(--quiet)') },
      ...axisInk(ink),
    },
    series: series.map(({ name, colour, values }) => ({
      type: 'bar',
      stack: 'all',
      name,
      cursor: 'pointer',
      barMaxWidth: 36,
      itemStyle: { color: ink.of(colour) },
      data: [...values],
    })),
  };
}

function heatOption({ across, down, cells }: Heat, ink: Ink): EChartsCoreOption {
  return {
    grid: { left: 4, right: 8, top: 4, bottom: 4, outerBoundsMode: 'same' },
    xAxis: { type: 'category', data: [...across], ...axisInk(ink), splitLine: { show: false } },
    yAxis: {
      type: 'category',
      data: [...down],
      inverse: true,
      ...axisInk(ink),
      splitLine: { show: false },
    },
    visualMap: {
      show: false,
      min: 0,
      max: Math.max(1, ...cells.map(({ value }) => value)),
      inRange: { color: [ink.of('var(--accent-wash)'), ink.of('var(--accent)')] },
    },
    series: [
      {
        type: 'heatmap',
        cursor: 'pointer',
        itemStyle: { borderWidth: 1, borderColor: ink.of('var(--page)') },
        data: cells.map(({ x, y, value }) => [x, y, value]),
      },
    ],
  };
}

interface Hovered {
  readonly dataIndex: number;
  readonly name: string;
  readonly seriesName: string;
  readonly value: unknown;
}

function tooltipOf(spec: ChartSpec, wholeText: (value: number) => string): object {
  if (spec.kind === 'bars') {
    const formatter = (hovered: readonly Hovered[]): string =>
      [
        hovered[0]?.name ?? '',
        ...hovered
          .filter(({ value }) => typeof value === 'number' && value > 0)
          .map(({ seriesName, value }) => `${seriesName} ${wholeText(Number(value))}`),
      ].join('\n');
    return { trigger: 'axis', axisPointer: { type: 'shadow' }, formatter };
  }
  const formatter = ({ dataIndex }: Hovered): string => {
    const cell = spec.cells[dataIndex];
    if (cell === undefined) return '';
    return `${spec.down[cell.y] ?? ''}\n${spec.across[cell.x] ?? ''}\n${wholeText(cell.value)} ${spec.unit}`;
  };
  return { trigger: 'item', formatter };
}
