// A webhook in a line, with its test.
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { testWebhook, type Webhook } from '../../api/access.ts';
import { useMay } from '../../app/session-context.ts';
import { useTexts } from '../../i18n/text.ts';
import { Failed } from '../../parts/panel/failed.tsx';
import type { Column } from '../../parts/table/data-table.tsx';
import { Time } from '../../parts/time/time.tsx';
import styles from './webhooks.module.css';

export function useWebhookColumns(remove: (webhook: Webhook) => void): readonly Column<Webhook>[] {
  const text = useTexts();
  return [
    {
      key: 'url',
      head: text('webhooks.url'),
      title: true,
      wide: true,
      cell: ({ url }) => <span className={styles.url}>{url}</span>,
    },
    {
      key: 'causes',
      head: text('webhooks.causes'),
      cell: ({ causes }) =>
        causes === null ? text('webhooks.all') : causes.map((cause) => <div key={cause}>{cause}</div>),
    },
    {
      key: 'services',
      head: text('tokens.services'),
      cell: ({ services }) => (services === null ? text('account.all') : services.join(', ')),
    },
    { key: 'state', head: text('campaigns.state'), cell: (webhook) => <State webhook={webhook} /> },
    { key: 'acts', head: '', cell: (webhook) => <Acts webhook={webhook} remove={remove} /> },
  ];
}

function State({ webhook: { deliveredAt, failingSince, lastError } }: { readonly webhook: Webhook }) {
  const text = useTexts();
  if (failingSince !== null) {
    return (
      <>
        <span className={styles.badly}>✕ {text('webhooks.failing')}</span> <Time at={failingSince} />
        {lastError !== null && (
          <div className={styles.quiet} lang="en">
            {lastError}
          </div>
        )}
      </>
    );
  }
  if (deliveredAt === null) return text('webhooks.nothingYet');
  return (
    <>
      <span className={styles.well}>✓ {text('webhooks.taken')}</span> <Time at={deliveredAt} />
    </>
  );
}

interface ActsProps {
  readonly webhook: Webhook;
  readonly remove: (webhook: Webhook) => void;
}

function Acts({ webhook, remove }: ActsProps) {
  const text = useTexts();
  const may = useMay();
  const test = useMutation({ mutationFn: () => testWebhook(webhook.id) });
  return (
    <div className={styles.acts}>
      {may('post /v1/webhooks/{id}/test') && (
        <Button size="xs" loading={test.isPending} onClick={() => test.mutate()}>
          {text('webhooks.test')}
        </Button>
      )}
      {may('delete /v1/webhooks/{id}') && (
        <Button size="xs" onClick={() => remove(webhook)}>
          {text('webhooks.remove')}…
        </Button>
      )}
      {test.data !== undefined && (
        <span role="status" className={test.data.taken ? styles.well : styles.badly}>
          {test.data.taken
            ? `✓ ${text('webhooks.testTaken', { status: test.data.status ?? 0 })}`
            : `✕ ${text('webhooks.testFailed', { why: test.data.error ?? String(test.data.status) })}`}
        </span>
      )}
      {test.error !== null && <Failed error={test.error} again={() => test.mutate()} />}
    </div>
  );
}
