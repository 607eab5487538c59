// Webhooks: whom alerts are posted to, whether they arrive, and a test of each.
import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { removeWebhook, webhooksQuery, type Webhook } from '../../api/access.ts';
import { useMay } from '../../app/session-context.ts';
import { useTexts } from '../../i18n/text.ts';
import { FormSheet } from '../../parts/act/form-sheet.tsx';
import { PageHead } from '../../parts/page/page-head.tsx';
import { Empty } from '../../parts/panel/panel.tsx';
import { HeldList } from '../../parts/table/held-list.tsx';
import { NewWebhookSheet } from './new-webhook-sheet.tsx';
import { useWebhookColumns } from './webhook-columns.tsx';

export function WebhooksPage() {
  const text = useTexts();
  const may = useMay();
  const query = useInfiniteQuery(webhooksQuery);
  const [isNew, setNew] = useState(false);
  const [removed, setRemoved] = useState<Webhook>();
  const columns = useWebhookColumns(setRemoved);
  return (
    <>
      <PageHead
        title={text('page.webhooks')}
        acts={
          may('post /v1/webhooks') && <Button onClick={() => setNew(true)}>{text('webhooks.new')}…</Button>
        }
      />
      <HeldList
        name={text('page.webhooks')}
        query={query}
        filter="webhooks"
        columns={columns}
        rows={3}
        empty={<Empty hint={text('webhooks.noneHint')}>{text('webhooks.none')}</Empty>}
      />
      {isNew && <NewWebhookSheet onClose={() => setNew(false)} />}
      {removed !== undefined && (
        <FormSheet
          title={text('webhooks.removeTitle')}
          button={text('webhooks.remove')}
          isDangerous
          make={() => removeWebhook(removed.id)}
          came={() => text('webhooks.removed')}
          onClose={() => setRemoved(undefined)}
        >
          <p>{text('webhooks.removeMeans', { url: removed.url })}</p>
        </FormSheet>
      )}
    </>
  );
}
