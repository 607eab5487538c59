// The campaigns that would miss their limit or their deadline, the worst first, each with the ways out. Each way is enough on its own.
import { Link } from '@tanstack/react-router';
import type { LateCampaign } from '../../api/forecast.ts';
import { useTexts, type Texts } from '../../i18n/text.ts';
import { wholeText } from '../../parts/figure/figure-text.ts';
import { Figure } from '../../parts/figure/figure.tsx';
import { DataTable } from '../../parts/table/data-table.tsx';
import { useClockHead } from '../../parts/time/clock-head.tsx';
import { lengthText } from '../../parts/time/length-text.ts';
import { Time } from '../../parts/time/time.tsx';
import styles from './forecast.module.css';

export interface LateCampaignsProps {
  readonly late: readonly LateCampaign[];
  /** There may be more than are listed. */
  readonly all: number;
}

export function LateCampaigns({ late, all }: LateCampaignsProps) {
  const text = useTexts();
  const clockHead = useClockHead();
  if (late.length === 0) return <p className={styles.well}>✓ {text('forecast.noneLate')}</p>;
  return (
    <DataTable
      name={text('forecast.late')}
      rows={late}
      rowKey={({ campaign, occurrence }) => `${campaign} ${occurrence}`}
      foot={<span>{text('forecast.lateOf', { shown: late.length, all })}</span>}
      columns={[
        {
          key: 'campaign',
          head: text('reports.key.campaign'),
          title: true,
          cell: ({ campaign, name, campaignId }) =>
            campaignId === null ? (
              text('forecast.plan')
            ) : (
              <Link to="/campaigns/$id" params={{ id: campaign }} search={{}}>
                {name ?? campaignId}
              </Link>
            ),
        },
        {
          key: 'due',
          head: clockHead(text('send.due')),
          cell: ({ dueAt }) => <Time at={dueAt} column />,
        },
        {
          key: 'leaves',
          head: clockHead(text('forecast.lastLeaves')),
          cell: ({ lastLeavesAt }) => <Time at={lastLeavesAt} column />,
        },
        {
          key: 'requests',
          head: text('forecast.requests'),
          align: 'right',
          cell: ({ requests }) => <Figure value={requests} />,
        },
        {
          key: 'misses',
          head: text('forecast.misses.head'),
          cell: (row) => <Lines lines={missesOf(row, text)} />,
        },
        {
          key: 'ways',
          head: text('forecast.waysOut'),
          wide: true,
          cell: (row) => <Lines lines={waysOf(row, text)} />,
        },
      ]}
    />
  );
}

function Lines({ lines }: { readonly lines: readonly string[] }) {
  return (
    <span className={styles.lines}>
      {lines.map((line) => (
        <span key={line}>{line}</span>
      ))}
    </span>
  );
}

function missesOf({ missesLateness, missesDeadline, beyond }: LateCampaign, text: Texts): readonly string[] {
  const line = (of: 'lateness' | 'deadline', missed: { byMs: number; requests: number } | null): string[] =>
    missed === null
      ? []
      : [
          text(`forecast.misses.${of}`, {
            count: wholeText(missed.requests),
            by: lengthText(missed.byMs, text),
          }),
        ];
  return [
    ...line('lateness', missesLateness),
    ...line('deadline', missesDeadline),
    text(`forecast.beyond.${beyond}`),
  ];
}

function waysOf({ waysOut }: LateCampaign, text: Texts): readonly string[] {
  const { ratePerSecond, pace, jitterMinutes } = waysOut;
  const ways = [
    ...(ratePerSecond === null ? [] : [text('forecast.way.rate', { rate: wholeText(ratePerSecond) })]),
    ...(pace === null
      ? []
      : [
          text('forecast.way.pace', {
            pace: wholeText(pace.perMinute),
            length: lengthText(pace.minutes * 60_000, text),
          }),
        ]),
    ...(jitterMinutes === null
      ? []
      : [text('forecast.way.jitter', { length: lengthText(jitterMinutes * 60_000, text) })]),
  ];
  return ways.length === 0 ? [text('forecast.way.none')] : ways;
}
