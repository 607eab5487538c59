// A sheet that makes something of what is typed into it. It has one key from when it opens, so that what is sent twice is made once; what the
// server refuses stays in the fields.
import { Button, CopyButton } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useTexts } from '../../i18n/text.ts';
import { Failed } from '../panel/failed.tsx';
import { Sheet } from './sheet.tsx';
import styles from './form-sheet.module.css';

export interface FormSheetProps<Made> {
  readonly title: string;
  readonly button: string;
  readonly make: (key: string) => Promise<Made>;
  /** What came of it; the sheet stays until it is closed. */
  readonly came: (made: Made) => ReactNode;
  readonly onClose: () => void;
  readonly isDangerous?: boolean;
  readonly isReady?: boolean;
  readonly children: ReactNode;
}

export function FormSheet<Made>(props: FormSheetProps<Made>) {
  const { title, button, make, came, onClose, isDangerous, isReady = true, children } = props;
  const text = useTexts();
  const client = useQueryClient();
  const [key] = useState(() => crypto.randomUUID());
  const making = useMutation({
    mutationFn: () => make(key),
    onSuccess: () => client.invalidateQueries(),
  });
  return (
    <Sheet title={title} onClose={onClose}>
      {making.isSuccess ? (
        <div className={styles.form} role="status">
          <div>{came(making.data)}</div>
          <div className={styles.acts}>
            <Button onClick={onClose} data-autofocus>
              {text('sheet.close')}
            </Button>
          </div>
        </div>
      ) : (
        <form
          className={styles.form}
          onSubmit={(event) => {
            event.preventDefault();
            making.mutate();
          }}
        >
          {children}
          {making.error !== null && <Failed error={making.error} />}
          <div className={styles.acts}>
            <Button variant="subtle" onClick={onClose}>
              {text('sheet.leave')}
            </Button>
            <Button
              type="submit"
              variant="filled"
              disabled={!isReady}
              loading={making.isPending}
              {...(isDangerous === true && { color: 'red' })}
            >
              {button}
            </Button>
          </div>
        </form>
      )}
    </Sheet>
  );
}

/** What is shown this once, such as a token. */
export function ShownOnce({ secret, children }: { readonly secret: string; readonly children: ReactNode }) {
  const text = useTexts();
  return (
    <>
      <p>{children}</p>
      <div className={styles.secret}>
        <code>{secret}</code>
        <CopyButton value={secret}>
          {({ copied, copy }) => (
            <Button size="xs" onClick={copy}>
              {copied ? text('copy.done') : text('copy.id')}
            </Button>
          )}
        </CopyButton>
      </div>
    </>
  );
}
