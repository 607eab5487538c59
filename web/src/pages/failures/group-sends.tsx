// The sends of a group, by the filter that the server gave with it, and the way to retry or resolve all that match: a preview is made of exactly these.
import { Button } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { previewRetries, type FailureGroup } from '../../api/failures.ts';
import { rowsOf } from '../../api/paging.ts';
import { sendsQuery, type SendFilter } from '../../api/sends.ts';
import { SEND_LINKS } from '../../app/send-links.tsx';
import { useMay } from '../../app/session-context.ts';
import { useTexts } from '../../i18n/text.ts';
import { wholeText } from '../../parts/figure/figure-text.ts';
import { Failed } from '../../parts/panel/failed.tsx';
import { Panel } from '../../parts/panel/panel.tsx';
import { useSendColumns } from '../../parts/sends/send-columns.tsx';
import { DataTable } from '../../parts/table/data-table.tsx';
import { ListFoot } from '../../parts/table/list-foot.tsx';
import { ResolveAll } from './resolve-all.tsx';
import styles from './failures.module.css';

export function GroupSends({ group }: { readonly group: FailureGroup }) {
  const text = useTexts();
  const query = useInfiniteQuery(sendsQuery(group.filter as SendFilter));
  const sends = rowsOf(query.data) ?? [];
  const columns = useSendColumns(SEND_LINKS);
  return (
    <div className={styles.group}>
      <RetryAll group={group} />
      <Panel query={query} rows={3}>
        {() => (
          <DataTable
            name={text('failures.sendsOf')}
            columns={columns.filter(({ key }) => key !== 'state')}
            rows={sends}
            rowKey={({ id }) => id}
            foot={<ListFoot query={query} shown={sends.length} />}
          />
        )}
      </Panel>
    </div>
  );
}

function RetryAll({ group }: { readonly group: FailureGroup }) {
  const text = useTexts();
  const may = useMay();
  const navigate = useNavigate();
  const [key] = useState(() => crypto.randomUUID());
  const preview = useMutation({
    mutationFn: () => previewRetries(group.filter, key),
    onSuccess: ({ token }) => navigate({ to: '/failures/retries/$token', params: { token } }),
  });
  if (!may('post /v1/retries')) return null;
  if (group.state === 'uncertain') return <ResolveAll group={group} />;
  if (!group.retryable) return <p>{text('failures.notRetryable')}</p>;
  return (
    <div>
      <Button variant="filled" loading={preview.isPending} onClick={() => preview.mutate()}>
        {text('failures.preview', { count: wholeText(group.sends) })}
      </Button>{' '}
      <span className={styles.quiet}>{text('failures.previewHint')}</span>
      {preview.error !== null && <Failed error={preview.error} again={() => preview.mutate()} />}
    </div>
  );
}
