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
  const [serviceId, setService] = useState(service ?? '');
  const [userId, setUser] = useState('');
  const [again, setAgain] = useState('');
  const erasing = useMutation({
    mutationFn: () => eraseUser({ serviceId: serviceId.trim(), userId: userId.trim() }),
    // The id stays in no memory of the page.
    gcTime: 0,
    onSuccess: ({ id }) => navigate({ to: '/audiences/erasures/$id', params: { id } }),
  });
  const isSame = userId.trim() === again.trim();
  return (
    <form
      className={styles.narrow}
      onSubmit={(event) => {
        event.preventDefault();
        erasing.mutate();
      }}
    >
      <TextInput
        label={text('filter.service')}
        value={serviceId}
        onChange={(event) => setService(event.currentTarget.value)}
      />
      <TextInput
        label={text('recipient.id')}
        value={userId}
        maxLength={128}
        autoComplete="off"
        onChange={(event) => setUser(event.currentTarget.value)}
      />
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
          disabled={serviceId.trim() === '' || userId.trim() === '' || !isSame}
          loading={erasing.isPending}
        >
          {text('erase.button')}
        </Button>
      </div>
    </form>
  );
}
