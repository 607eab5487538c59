// The directory of users' zones: the zone of one user, or a file of many. Nobody reads it here: it is asked while campaigns are planned.
import { Button } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useOnlyService } from '../../app/session-context.ts';
import { useTexts } from '../../i18n/text.ts';
import { AudiencesFrame } from './audiences-frame.tsx';
import { ZoneForm } from './zone-form.tsx';
import { ZonesSheet } from './zones-sheet.tsx';
import styles from './audiences.module.css';

const route = getRouteApi('/audiences/zones');

export function ZonesPage() {
  const text = useTexts();
  const only = useOnlyService();
  const { service = only } = route.useSearch();
  const [isUploading, setUploading] = useState(false);
  return (
    <AudiencesFrame
      view="/audiences/zones"
      service={service}
      acts={<Button onClick={() => setUploading(true)}>{text('zones.upload')}…</Button>}
    >
      <p className={styles.about}>{text('zones.about')}</p>
      <ZoneForm service={service} />
      {isUploading && <ZonesSheet service={service} onClose={() => setUploading(false)} />}
    </AudiencesFrame>
  );
}
