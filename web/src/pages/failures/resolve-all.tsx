// Uncertain sends of a group, all settled alike by whoever found out: a preview is made of exactly these, and confirmed on its own page.
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { FailureGroup } from '../../api/failures.ts';
import { previewResolves, type Resolution } from '../../api/resolves.ts';
import { useMay } from '../../app/session-context.ts';
import { useTexts } from '../../i18n/text.ts';
import { Failed } from '../../parts/panel/failed.tsx';
import { wholeText } from '../../parts/figure/figure-text.ts';
import styles from './failures.module.css';

export function ResolveAll({ group }: { readonly group: FailureGroup }) {
  const text = useTexts();
  const may = useMay();
  const navigate = useNavigate();
  const [key] = useState(() => crypto.randomUUID());
  const preview = useMutation({
    mutationFn: (resolution: Resolution) =>
      previewResolves(group.filter, { resolution, reason: '', key: `${key} ${resolution}` }),
    onSuccess: ({ token }) => navigate({ to: '/failures/resolves/$token', params: { token } }),
  });
  const count = wholeText(group.sends);
  return (
    <div className={styles.group}>
      <p>{text('failures.uncertainHow')}</p>
      {may('post /v1/resolves') && (
        <div className={styles.acts}>
          <Button loading={preview.isPending} onClick={() => preview.mutate('confirmed-sent')}>
            {text('resolves.previewSent', { count })}
          </Button>
          <Button loading={preview.isPending} onClick={() => preview.mutate('confirmed-not-sent')}>
            {text('resolves.previewNotSent', { count })}
          </Button>
          <span className={styles.quiet}>{text('resolves.previewHint')}</span>
        </div>
      )}
      {preview.error !== null && <Failed error={preview.error} />}
    </div>
  );
}
