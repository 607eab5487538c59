// The zone of one user: set, or taken away. What came of it stands below until the next.
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { putZone } from '../../api/recipients.ts';
import { useTexts } from '../../i18n/text.ts';
import { Failed } from '../../parts/panel/failed.tsx';
import { isNamed, trimmed, UserFields } from './user-fields.tsx';
import { ZonesAnswer } from './zones-answer.tsx';
import styles from './audiences.module.css';

export function ZoneForm({ service }: { readonly service: string | undefined }) {
  const text = useTexts();
  const client = useQueryClient();
  const [user, setUser] = useState({ serviceId: service ?? '', userId: '' });
  const [zone, setZone] = useState('');
  const putting = useMutation({
    mutationFn: (wanted: string | null) => putZone(trimmed(user), wanted),
    onSuccess: () => client.invalidateQueries(),
  });
  return (
    <form
      className={styles.narrow}
      onSubmit={(event) => {
        event.preventDefault();
        putting.mutate(zone.trim());
      }}
    >
      <UserFields user={user} change={setUser} />
      <TextInput
        label={text('zones.zone')}
        value={zone}
        maxLength={64}
        autoComplete="off"
        onChange={(event) => setZone(event.currentTarget.value)}
      />
      <div className={styles.buttons}>
        <Button
          type="submit"
          variant="filled"
          disabled={!isNamed(user) || zone.trim() === ''}
          loading={putting.isPending}
        >
          {text('zones.set')}
        </Button>
        <Button disabled={!isNamed(user) || putting.isPending} onClick={() => putting.mutate(null)}>
          {text('zones.delete')}
        </Button>
      </div>
      {putting.error !== null && <Failed error={putting.error} />}
      {putting.data !== undefined && (
        <div role="status">
          <ZonesAnswer answer={putting.data} />
        </div>
      )}
    </form>
  );
}
