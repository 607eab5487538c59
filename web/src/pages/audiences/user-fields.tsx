// The fields that name one user of a service.
import { TextInput } from '@mantine/core';
import { useTexts } from '../../i18n/text.ts';

export interface NamedUser {
  readonly serviceId: string;
  readonly userId: string;
}

export interface UserFieldsProps {
  readonly user: NamedUser;
  readonly change: (user: NamedUser) => void;
}

export function UserFields({ user, change }: UserFieldsProps) {
  const text = useTexts();
  return (
    <>
      <TextInput
        label={text('filter.service')}
        value={user.serviceId}
        onChange={(event) => change({ ...user, serviceId: event.currentTarget.value })}
      />
      <TextInput
        label={text('recipient.id')}
        value={user.userId}
        maxLength={128}
        autoComplete="off"
        onChange={(event) => change({ ...user, userId: event.currentTarget.value })}
      />
    </>
  );
}

/** As it is sent. */
export const trimmed = ({ serviceId, userId }: NamedUser): NamedUser => ({
  serviceId: serviceId.trim(),
  userId: userId.trim(),
});

export const isNamed = (user: NamedUser): boolean => {
  const { serviceId, userId } = trimmed(user);
  return serviceId !== '' && userId !== '';
};
