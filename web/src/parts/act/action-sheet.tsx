// An act, in three steps: what will happen to how many, by the server's own preview; the button that repeats the number; and what came of it. The
// sheet has one key from when it opens, so that an act that is sent twice is done once.
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState, type ReactNode } from 'react';
import { useTexts } from '../../i18n/text.ts';
import { Failed } from '../panel/failed.tsx';
import { Sheet } from './sheet.tsx';
import styles from './action-sheet.module.css';

export interface SheetAct<Preview, Done> {
  readonly title: string;
  /** What is acted on, for the eye. */
  readonly subject: ReactNode;
  /** Asks the server what the act would do. Changes nothing. */
  readonly preview: () => Promise<Preview>;
  readonly shows: (preview: Preview) => ReactNode;
  /** The verb with its number; undefined: there is nothing to do. */
  readonly button: (preview: Preview) => string | undefined;
  readonly act: (key: string, reason: string) => Promise<Done>;
  readonly came: (done: Done) => ReactNode;
  readonly isDangerous?: boolean;
  /** A reason may be given, and stands in the history. */
  readonly takesReason?: boolean;
  /** Whether what must be chosen is chosen [true]. */
  readonly isReady?: boolean;
  /** What else may be chosen before it is done. */
  readonly choices?: ReactNode;
}

export interface ActionSheetProps<Preview, Done> extends SheetAct<Preview, Done> {
  readonly onClose: () => void;
}

export function ActionSheet<Preview, Done>(props: ActionSheetProps<Preview, Done>) {
  const { title, subject, onClose, came } = props;
  const text = useTexts();
  const client = useQueryClient();
  const [key] = useState(() => crypto.randomUUID());
  const done = useMutation({
    mutationFn: (reason: string) => props.act(key, reason),
    onSuccess: () => client.invalidateQueries(),
  });
  return (
    <Sheet title={title} onClose={onClose}>
      <div className={styles.sheet}>
        <div className={styles.subject}>{subject}</div>
        {done.data === undefined ? (
          <Before {...props} sheet={key} isBusy={done.isPending} go={(reason) => done.mutate(reason)} />
        ) : (
          <div role="status">{came(done.data)}</div>
        )}
        {done.error !== null && <Failed error={done.error} />}
        {done.data !== undefined && (
          <div className={styles.acts}>
            <Button onClick={onClose} data-autofocus>
              {text('sheet.close')}
            </Button>
          </div>
        )}
      </div>
    </Sheet>
  );
}

interface BeforeProps<Preview, Done> extends ActionSheetProps<Preview, Done> {
  readonly sheet: string;
  readonly isBusy: boolean;
  readonly go: (reason: string) => void;
}

function Before<Preview, Done>({ sheet, isBusy, go, ...props }: BeforeProps<Preview, Done>) {
  const text = useTexts();
  const [reason, setReason] = useState('');
  const field = useId();
  const preview = useQuery({
    queryKey: ['sheet', sheet],
    queryFn: props.preview,
    staleTime: Infinity,
    refetchInterval: false,
    gcTime: 0,
  });
  if (preview.error !== null) return <Failed error={preview.error} again={() => void preview.refetch()} />;
  if (preview.data === undefined) return <p className={styles.counting}>{text('sheet.counting')}</p>;
  const button = props.button(preview.data);
  return (
    <>
      {props.shows(preview.data)}
      {button !== undefined && props.choices}
      {props.takesReason === true && button !== undefined && (
        <TextInput
          id={field}
          label={text('sheet.reason')}
          maxLength={500}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      )}
      <div className={styles.acts}>
        <Button variant="subtle" onClick={props.onClose}>
          {text('sheet.leave')}
        </Button>
        {button !== undefined && (
          <Button
            variant="filled"
            {...(props.isDangerous === true && { color: 'red' })}
            loading={isBusy}
            disabled={props.isReady === false}
            onClick={() => go(reason.trim())}
          >
            {button}
          </Button>
        )}
      </div>
    </>
  );
}
