// A new webhook: where alerts are posted to. The server makes the secret that signs them, and shows it once.
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { makeWebhook } from '../../api/access.ts';
import { useTexts } from '../../i18n/text.ts';
import { FormSheet, ShownOnce } from '../../parts/act/form-sheet.tsx';

export function NewWebhookSheet({ onClose }: { readonly onClose: () => void }) {
  const text = useTexts();
  const [url, setUrl] = useState('');
  const [services, setServices] = useState('');
  const chosen = services.split(/[\s,]+/).filter((id) => id !== '');
  return (
    <FormSheet
      title={text('webhooks.new')}
      button={text('webhooks.make')}
      isReady={url.trim() !== ''}
      make={(key) => makeWebhook({ url: url.trim(), ...(chosen.length > 0 && { services: chosen }) }, key)}
      came={({ secret }) =>
        secret === null ? (
          text('webhooks.made')
        ) : (
          <ShownOnce secret={secret}>{text('webhooks.shownOnce')}</ShownOnce>
        )
      }
      onClose={onClose}
    >
      <TextInput
        label={text('webhooks.url')}
        placeholder="https://"
        value={url}
        maxLength={2_000}
        data-autofocus
        onChange={(event) => setUrl(event.currentTarget.value)}
      />
      <TextInput
        label={text('webhooks.services')}
        value={services}
        onChange={(event) => setServices(event.currentTarget.value)}
      />
    </FormSheet>
  );
}
