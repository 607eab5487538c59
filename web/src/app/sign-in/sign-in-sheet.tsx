// Over a page whose session has ended: what stands there stays, and goes on once somebody is signed in again.
import { Modal } from '@mantine/core';
import { useTexts } from '../../i18n/text.ts';
import { SignInForm } from './sign-in-form.tsx';

export function SignInSheet() {
  const text = useTexts();
  return (
    <Modal
      opened
      onClose={() => undefined}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      title={text('signIn.ended')}
      centered
    >
      <SignInForm />
    </Modal>
  );
}
