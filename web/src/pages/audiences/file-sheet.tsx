// The upload of a file in a sheet: what is chosen beside it, the file, how far it is, and what came of it.
import { Button, FileInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type ReactNode } from 'react';
import type { Upload } from '../../api/client.ts';
import { useTexts } from '../../i18n/text.ts';
import { Sheet } from '../../parts/act/sheet.tsx';
import { Failed } from '../../parts/panel/failed.tsx';
import styles from './audiences.module.css';

export interface FileSheetProps<Answer> {
  /** Of the sheet and of its button. */
  readonly title: string;
  /** What the server does with the rows, also after a fault. */
  readonly how: string;
  readonly isReady: boolean;
  readonly start: (file: File) => Upload<Answer>;
  readonly came: (answer: Answer) => ReactNode;
  readonly onClose: () => void;
  readonly children: (isBusy: boolean) => ReactNode;
}

export function FileSheet<Answer>(props: FileSheetProps<Answer>) {
  const { title, how, isReady, start, came, onClose, children } = props;
  const text = useTexts();
  const client = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const [share, setShare] = useState(0);
  const underWay = useRef<Upload<Answer>>(undefined);
  const sending = useMutation({
    mutationFn: (chosen: File) => {
      setShare(0);
      const upload = start(chosen);
      upload.follow(setShare);
      underWay.current = upload;
      return upload.answer;
    },
    onSuccess: () => client.invalidateQueries(),
  });
  const close = (): void => {
    if (sending.isPending) underWay.current?.stop();
    onClose();
  };
  return (
    <Sheet title={title} onClose={close}>
      {sending.isSuccess ? (
        <div role="status" className={styles.form}>
          {came(sending.data)}
        </div>
      ) : (
        <form
          className={styles.form}
          onSubmit={(event) => {
            event.preventDefault();
            if (file !== null) sending.mutate(file);
          }}
        >
          <p className={styles.quiet}>{how}</p>
          {children(sending.isPending)}
          <FileInput
            label={text('lists.file')}
            value={file}
            accept=".csv,.ndjson,.jsonl,.gz"
            disabled={sending.isPending}
            onChange={setFile}
          />
          {sending.isPending && <Sent share={share} name={title} />}
          {sending.error !== null && <Failed error={sending.error} />}
          <div className={styles.acts}>
            <Button variant="subtle" onClick={close}>
              {text(sending.isPending ? 'lists.stop' : 'sheet.leave')}
            </Button>
            <Button
              type="submit"
              variant="filled"
              disabled={!isReady || file === null}
              loading={sending.isPending}
            >
              {title}
            </Button>
          </div>
        </form>
      )}
    </Sheet>
  );
}

function Sent({ share, name }: { readonly share: number; readonly name: string }) {
  const text = useTexts();
  const percent = Math.floor(share * 100);
  return (
    <div role="status">
      <progress className={styles.progress} value={percent} max={100} aria-label={name} />
      {text(percent < 100 ? 'lists.sent' : 'lists.written', { percent })}
    </div>
  );
}
