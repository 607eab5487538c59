// An alert in a line: its state, what it means and what helps, how far it came, and the two things that one does with it.
import { Button, CopyButton } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { acknowledge, type Alert } from '../../api/alerts.ts';
import { useMay } from '../../app/session-context.ts';
import { useTexts } from '../../i18n/text.ts';
import { wholeText } from '../../parts/figure/figure-text.ts';
import { Failed } from '../../parts/panel/failed.tsx';
import { ALERT_LOOKS } from '../../parts/state/looks.ts';
import { Mark } from '../../parts/state/state.tsx';
import type { Column } from '../../parts/table/data-table.tsx';
import { useClock } from '../../parts/time/clock-context.ts';
import { useClockHead } from '../../parts/time/clock-head.tsx';
import { lengthText } from '../../parts/time/length-text.ts';
import { Time } from '../../parts/time/time.tsx';
import { costLine } from './cost-line.ts';
import styles from './alerts.module.css';

export function useAlertColumns(): readonly Column<Alert>[] {
  const text = useTexts();
  const clockHead = useClockHead();
  return [
    {
      key: 'state',
      head: text('campaigns.state'),
      title: true,
      cell: ({ severity, endedAt }) =>
        endedAt === null ? (
          <Mark look={ALERT_LOOKS[severity]} word={text(`alerts.severity.${severity}`)} />
        ) : (
          <Mark look={ALERT_LOOKS.ended} word={text('alerts.ended')} />
        ),
    },
    {
      key: 'what',
      head: text('alerts.what'),
      title: true,
      wide: true,
      cell: (alert) => <Meaning alert={alert} />,
    },
    {
      key: 'since',
      head: clockHead(text('alerts.since')),
      cell: (alert) => <Span alert={alert} />,
    },
    { key: 'acts', head: '', cell: (alert) => <Acts alert={alert} /> },
  ];
}

/** The server's own words: what it means, what was found, what to do, and the page of the runbook. */
function Meaning({ alert }: { readonly alert: Alert }) {
  const text = useTexts();
  const { serviceId, text: meaning, detail, nextStep, cause, runbook, endedAt, worst, unit } = alert;
  return (
    <>
      <p>
        <strong>{serviceId ?? text('overview.installation')}</strong> <span lang="en">{meaning}</span>{' '}
        <code className={styles.code}>{cause}</code>
      </p>
      <p className={styles.quiet} lang="en">
        {detail}
      </p>
      {worst !== null && (
        <p className={styles.quiet}>
          {text('alerts.line.worst', { worst: wholeText(worst) })} <span lang="en">{unit}</span>
        </p>
      )}
      {endedAt === null && (
        <p className={styles.quiet}>
          <span lang="en">{nextStep}</span> <code className={styles.code}>{runbook}</code>
        </p>
      )}
    </>
  );
}

function Span({ alert: { since, endedAt } }: { readonly alert: Alert }) {
  const text = useTexts();
  const { now } = useClock();
  const until = endedAt === null ? now() : Date.parse(endedAt);
  return (
    <>
      <Time at={since} column />
      <div className={styles.quiet}>
        {text(endedAt === null ? 'alerts.for' : 'alerts.lasted', {
          length: lengthText(until - Date.parse(since), text),
        })}
      </div>
    </>
  );
}

function Acts({ alert }: { readonly alert: Alert }) {
  const text = useTexts();
  const may = useMay();
  const { now } = useClock();
  const client = useQueryClient();
  const [key] = useState(() => crypto.randomUUID());
  const taking = useMutation({
    mutationFn: () => acknowledge(alert.id, key),
    onSuccess: () => client.invalidateQueries(),
  });
  const { acknowledged, endedAt } = alert;
  return (
    <div className={styles.acts}>
      {acknowledged !== null && (
        <span className={styles.quiet}>{text('overview.takenUp', { who: acknowledged.by })}</span>
      )}
      {acknowledged === null && endedAt === null && may('post /v1/alerts/{id}/acknowledge') && (
        <Button size="xs" loading={taking.isPending} onClick={() => taking.mutate()}>
          {text('alerts.takeUp')}
        </Button>
      )}
      <CopyButton value={costLine(alert, now(), text)}>
        {({ copied, copy }) => (
          <Button size="xs" variant="subtle" onClick={copy}>
            {copied ? text('copy.done') : text('alerts.copyLine')}
          </Button>
        )}
      </CopyButton>
      {taking.error !== null && <Failed error={taking.error} again={() => taking.mutate()} />}
    </div>
  );
}
