// A new token: its name, what it may do, whose services it holds, and for how many days.
import { Checkbox, TextInput } from '@mantine/core';
import { useState } from 'react';
import { makeToken } from '../../api/access.ts';
import type { Role } from '../../api/session.ts';
import { useTexts } from '../../i18n/text.ts';
import { FormSheet, ShownOnce } from '../../parts/act/form-sheet.tsx';
import styles from './tokens.module.css';

const ROLES = ['publisher', 'analyst', 'operator', 'admin'] as const satisfies readonly Role[];
const DAYS = 90;

export function NewTokenSheet({ onClose }: { readonly onClose: () => void }) {
  const text = useTexts();
  const [name, setName] = useState('');
  const [roles, setRoles] = useState<readonly Role[]>([]);
  const [services, setServices] = useState('');
  const [days, setDays] = useState(String(DAYS));
  const serviceIds = services.split(/[\s,]+/).filter((id) => id !== '');
  return (
    <FormSheet
      title={text('tokens.new')}
      button={text('tokens.make')}
      isReady={name.trim() !== '' && roles.length > 0 && serviceIds.length > 0}
      make={(key) =>
        makeToken({ name: name.trim(), roles: [...roles], serviceIds, expiresInDays: Number(days) }, key)
      }
      came={({ token }) => <ShownOnce secret={token}>{text('tokens.shownOnce')}</ShownOnce>}
      onClose={onClose}
    >
      <TextInput
        label={text('tokens.name')}
        value={name}
        maxLength={64}
        data-autofocus
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <fieldset className={styles.choices}>
        <legend>{text('tokens.roles')}</legend>
        {ROLES.map((role) => (
          <Checkbox
            key={role}
            label={`${text(`role.${role}`)}: ${text(`role.may.${role}`)}`}
            checked={roles.includes(role)}
            onChange={(event) =>
              setRoles(event.currentTarget.checked ? [...roles, role] : roles.filter((one) => one !== role))
            }
          />
        ))}
      </fieldset>
      <TextInput
        label={text('tokens.servicesHow')}
        value={services}
        onChange={(event) => setServices(event.currentTarget.value)}
      />
      <TextInput
        label={text('tokens.days')}
        type="number"
        min={1}
        max={366}
        value={days}
        onChange={(event) => setDays(event.currentTarget.value)}
      />
    </FormSheet>
  );
}
