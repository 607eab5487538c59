// The upload of zones. Rows are written in pages: a fault leaves those before it, and to send all of them again is harmless.
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { uploadZones } from '../../api/recipients.ts';
import { useTexts } from '../../i18n/text.ts';
import { FileSheet } from './file-sheet.tsx';
import { ZonesAnswer } from './zones-answer.tsx';

export interface ZonesSheetProps {
  readonly service: string | undefined;
  readonly onClose: () => void;
}

export function ZonesSheet({ service, onClose }: ZonesSheetProps) {
  const text = useTexts();
  const [serviceId, setService] = useState(service ?? '');
  return (
    <FileSheet
      title={text('zones.upload')}
      how={text('zones.uploadHow')}
      isReady={serviceId.trim() !== ''}
      start={(file) => uploadZones(serviceId.trim(), file)}
      came={(answer) => <ZonesAnswer answer={answer} />}
      onClose={onClose}
    >
      {(isBusy) => (
        <TextInput
          label={text('filter.service')}
          value={serviceId}
          disabled={isBusy}
          onChange={(event) => setService(event.currentTarget.value)}
        />
      )}
    </FileSheet>
  );
}
