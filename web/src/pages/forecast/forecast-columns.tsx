// Columns of a forecast: a project with its rate and when its last request leaves, and a step with its load.
import { Link } from '@tanstack/react-router';
import type { Forecast, ForecastProject, ForecastStep } from '../../api/forecast.ts';
import { useTexts } from '../../i18n/text.ts';
import { wholeText } from '../../parts/figure/figure-text.ts';
import { Figure } from '../../parts/figure/figure.tsx';
import { Reason } from '../../parts/reason/reason.tsx';
import type { Column } from '../../parts/table/data-table.tsx';
import { useClockHead } from '../../parts/time/clock-head.tsx';
import { lengthText } from '../../parts/time/length-text.ts';
import { Time } from '../../parts/time/time.tsx';
import { stepName } from './load.tsx';

export function useForecastProjectColumns(): readonly Column<ForecastProject>[] {
  const text = useTexts();
  const clockHead = useClockHead();
  return [
    {
      key: 'project',
      head: text('overview.project'),
      title: true,
      cell: ({ serviceId }) => <strong>{serviceId}</strong>,
    },
    {
      key: 'rate',
      head: text('forecast.rate'),
      align: 'right',
      cell: ({ ratePerSecond }) => text('forecast.perSecond', { rate: wholeText(ratePerSecond) }),
    },
    {
      key: 'requests',
      head: text('forecast.requests'),
      align: 'right',
      cell: ({ requests }) => <Figure value={requests} />,
    },
    {
      key: 'late',
      head: text('forecast.mostLate'),
      align: 'right',
      cell: ({ lateMs }) => (lateMs === 0 ? '0' : lengthText(lateMs, text)),
    },
    {
      key: 'drained',
      head: clockHead(text('forecast.drained')),
      cell: ({ drainedAt }) => (drainedAt === null ? '–' : <Time at={drainedAt} column />),
    },
    {
      key: 'notYet',
      head: text('forecast.notPlannedYet'),
      align: 'right',
      cell: ({ notPlannedYet }) => <Figure value={notPlannedYet} />,
    },
    {
      key: 'blocked',
      head: text('campaigns.state'),
      wide: true,
      cell: ({ blocked }) =>
        blocked === null ? text('project.running') : <Reason code={blocked} detail={null} />,
    },
  ];
}

const STEP_MS = { minute: 60_000, hour: 3_600_000 } as const;

export function useStepColumns({ step, by }: Pick<Forecast, 'step' | 'by'>): readonly Column<ForecastStep>[] {
  const text = useTexts();
  const clockHead = useClockHead();
  const filterOf = ({ at, key }: ForecastStep) => ({
    from: at,
    to: new Date(Date.parse(at) + STEP_MS[step]).toISOString(),
    state: 'open' as const,
    ...(by === 'project' ? { service: key } : by === 'zone' ? { zone: key } : { campaign: key }),
  });
  const backlog: Column<ForecastStep> = {
    key: 'backlog',
    head: text('forecast.backlog'),
    align: 'right',
    cell: (row) => <Figure value={row.backlog} />,
  };
  return [
    {
      key: 'at',
      head: clockHead(text(`forecast.step.${step}`)),
      title: true,
      cell: ({ at }) => <Time at={at} column />,
    },
    {
      key: 'key',
      head: text(`reports.key.${by}`),
      title: true,
      wide: true,
      cell: (row) =>
        by === 'campaign' && row.campaignId !== null ? (
          <Link to="/campaigns/$id" params={{ id: row.key }} search={{}}>
            {row.campaignId}
          </Link>
        ) : (
          stepName(row)
        ),
    },
    {
      key: 'requests',
      head: text('forecast.requests'),
      align: 'right',
      cell: (row) => (
        <Link to="/sends" search={filterOf(row)}>
          <Figure value={row.requests} />
        </Link>
      ),
    },
    ...(by === 'project' ? [backlog] : []),
    {
      key: 'late',
      head: text('forecast.mostLate'),
      align: 'right',
      cell: ({ lateMs }) => (lateMs === 0 ? '0' : lengthText(lateMs, text)),
    },
  ];
}
