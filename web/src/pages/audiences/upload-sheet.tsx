// The upload of a list: which service, which name, which file. All or nothing: until the answer the version before counts.
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { uploadList, type ListName, type UploadedList } from '../../api/audiences.ts';
import { useTexts } from '../../i18n/text.ts';
import { wholeText } from '../../parts/figure/figure-text.ts';
import { FileSheet } from './file-sheet.tsx';
import { InvalidZones } from './invalid-zones.tsx';

export interface UploadSheetProps {
  readonly list: Partial<ListName>;
  readonly onClose: () => void;
}

export function UploadSheet({ list, onClose }: UploadSheetProps) {
  const text = useTexts();
  const [serviceId, setService] = useState(list.serviceId ?? '');
  const [name, setName] = useState(list.name ?? '');
  return (
    <FileSheet
      title={text('lists.upload')}
      how={text('lists.uploadHow')}
      isReady={serviceId.trim() !== '' && name.trim() !== ''}
      start={(file) => uploadList({ serviceId: serviceId.trim(), name: name.trim() }, file)}
      came={(uploaded) => <Uploaded list={uploaded} />}
      onClose={onClose}
    >
      {(isBusy) => (
        <>
          <TextInput
            label={text('filter.service')}
            value={serviceId}
            disabled={list.name !== undefined || isBusy}
            onChange={(event) => setService(event.currentTarget.value)}
          />
          <TextInput
            label={text('lists.list')}
            value={name}
            disabled={list.name !== undefined || isBusy}
            onChange={(event) => setName(event.currentTarget.value)}
          />
        </>
      )}
    </FileSheet>
  );
}

function Uploaded({ list }: { readonly list: UploadedList }) {
  const text = useTexts();
  const { rows, duplicates, invalidZones, unchanged } = list;
  return (
    <>
      <p>
        {text(unchanged ? 'lists.unchanged' : 'lists.whole', {
          rows: wholeText(rows),
          duplicates: wholeText(duplicates),
        })}
      </p>
      {invalidZones.length > 0 && <InvalidZones zones={invalidZones} />}
    </>
  );
}
