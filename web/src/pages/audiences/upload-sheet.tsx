// The upload of a list: which service, which name, which file. All or nothing: until the answer the version before counts.
import { Button, FileInput, Modal, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { uploadList, type ListName, type UploadedList } from '../../api/audiences.ts';
import type { Upload } from '../../api/client.ts';
import { useTexts } from '../../i18n/text.ts';
import { wholeText } from '../../parts/figure/figure-text.ts';
import { Failed } from '../../parts/panel/failed.tsx';
import { InvalidZones } from './versions.tsx';
import styles from './audiences.module.css';

export interface UploadSheetProps {
  readonly list: Partial<ListName>;
  readonly onClose: () => void;
}

export function UploadSheet({ list, onClose }: UploadSheetProps) {
  const text = useTexts();
  const client = useQueryClient();
  const [serviceId, setService] = useState(list.serviceId ?? '');
  const [name, setName] = useState(list.name ?? '');
  const [file, setFile] = useState<File | null>(null);
  const [share, setShare] = useState(0);
  const underWay = useRef<Upload<UploadedList>>(undefined);
  const sending = useMutation({
    mutationFn: (chosen: File) => {
      setShare(0);
      const upload = uploadList({ serviceId: serviceId.trim(), name: name.trim() }, chosen);
      upload.follow(setShare);
      underWay.current = upload;
      return upload.answer;
    },
    onSuccess: () => client.invalidateQueries(),
  });
  const isReady = file !== null && serviceId.trim() !== '' && name.trim() !== '';
  const close = (): void => {
    if (sending.isPending) underWay.current?.stop();
    onClose();
  };
  return (
    <Modal
      opened
      onClose={close}
      title={text('lists.upload')}
      size={560}
      centered
      closeButtonProps={{ 'aria-label': text('sheet.close') }}
    >
      {sending.isSuccess ? (
        <Uploaded list={sending.data} />
      ) : (
        <form
          className={styles.form}
          onSubmit={(event) => {
            event.preventDefault();
            if (file !== null) sending.mutate(file);
          }}
        >
          <p className={styles.quiet}>{text('lists.uploadHow')}</p>
          <TextInput
            label={text('filter.service')}
            value={serviceId}
            disabled={list.name !== undefined || sending.isPending}
            onChange={(event) => setService(event.currentTarget.value)}
          />
          <TextInput
            label={text('lists.list')}
            value={name}
            disabled={list.name !== undefined || sending.isPending}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <FileInput
            label={text('lists.file')}
            value={file}
            accept=".csv,.ndjson,.jsonl,.gz"
            disabled={sending.isPending}
            onChange={setFile}
          />
          {sending.isPending && <Sent share={share} />}
          {sending.error !== null && <Failed error={sending.error} />}
          <div className={styles.acts}>
            <Button variant="subtle" onClick={close}>
              {text(sending.isPending ? 'lists.stop' : 'sheet.leave')}
            </Button>
            <Button type="submit" variant="filled" disabled={!isReady} loading={sending.isPending}>
              {text('lists.upload')}
            </Button>
          </div>
        </form>
      )}
    </Modal>
  );
}

function Sent({ share }: { readonly share: number }) {
  const text = useTexts();
  const percent = Math.floor(share * 100);
  return (
    <div role="status">
      <progress className={styles.progress} value={percent} max={100} aria-label={text('lists.upload')} />
      {text(percent < 100 ? 'lists.sent' : 'lists.written', { percent })}
    </div>
  );
}

function Uploaded({ list }: { readonly list: UploadedList }) {
  const text = useTexts();
  const { rows, duplicates, invalidZones, unchanged } = list;
  return (
    <div role="status" className={styles.form}>
      <p>
        {text(unchanged ? 'lists.unchanged' : 'lists.whole', {
          rows: wholeText(rows),
          duplicates: wholeText(duplicates),
        })}
      </p>
      {invalidZones.length > 0 && <InvalidZones zones={invalidZones} />}
    </div>
  );
}
