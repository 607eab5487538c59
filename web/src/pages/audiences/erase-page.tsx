// The erasure of a user is asked for here. The id is typed twice, for nothing brings it back; the job has a page of its own.
import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { eraseUser } from '../../api/recipients.ts';
import { useOnlyService } from '../../app/session-context.ts';
import { useTexts } from '../../i18n/text.ts';
import { Failed } from '../../parts/panel/failed.tsx';
import { AudiencesFrame } from './audiences-frame.tsx';
import { isNamed, trimmed, UserFields } from './user-fields.tsx';
import styles from './audiences.module.css';

const route = getRouteApi('/audiences/erasures');

export function ErasePage() {
  const text = useTexts();
  const only = useOnlyService();
  const { service = only } = route.useSearch();
  return (
    <AudiencesFrame view="/audiences/erasures" service={service}>
      <p className={styles.about}>{text('erase.means')}</p>
      <p className={styles.about}>{text('erase.before')}</p>
      <EraseForm service={service} />
      <p className={styles.about}>
        <Link to="/audit" search={{ action: 'recipient.erase', range: 'all' }}>
          {text('erase.audit')}
        </Link>
      </p>
    </AudiencesFrame>
  );
}

function EraseForm({ service }: { readonly service: string | undefined }) {
  const text = useTexts();
  const navigate = route.useNavigate();
  const [user, setUser] = useState({ serviceId: service ?? '', userId: '' });
  const [again, setAgain] = useState('');
  const erasing = useMutation({
    mutationFn: () => eraseUser(trimmed(user)),
    // The id stays in no memory of the page.
    gcTime: 0,
    onSuccess: ({ id }) => navigate({ to: '/audiences/erasures/$id', params: { id } }),
  });
  const isSame = user.userId.trim() === again.trim();
  return (
    <form
      className={styles.narrow}
      onSubmit={(event) => {
        event.preventDefault();
        erasing.mutate();
      }}
    >
      <UserFields user={user} change={setUser} />
      <TextInput
        label={text('erase.again')}
        value={again}
        maxLength={128}
        autoComplete="off"
        error={again !== '' && !isSame && text('erase.differ')}
        onChange={(event) => setAgain(event.currentTarget.value)}
      />
      {erasing.error !== null && <Failed error={erasing.error} />}
      <div className={styles.buttons}>
        <Button
          type="submit"
          variant="filled"
          color="red"
          disabled={!isNamed(user) || !isSame}
          loading={erasing.isPending}
        >
          {text('erase.button')}
        </Button>
      </div>
    </form>
  );
}
