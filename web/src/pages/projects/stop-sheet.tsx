// Stops or starts a project: what waits here and what the push service holds already, counted before; with a stop the recall of the latter.
import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import { doStop, previewStop, type StopOrder, type StoppedProject } from '../../api/projects.ts';
import { useTexts } from '../../i18n/text.ts';
import { ActionSheet } from '../../parts/act/action-sheet.tsx';
import { wholeText } from '../../parts/figure/figure-text.ts';
import { Time } from '../../parts/time/time.tsx';
import styles from './projects.module.css';

export interface StopSheetProps extends Pick<StopOrder, 'project' | 'act'> {
  readonly onClose: () => void;
}

export function StopSheet({ project, act, onClose }: StopSheetProps) {
  const text = useTexts();
  const [recall, setRecall] = useState(false);
  const order: StopOrder = { project, act, recall };
  return (
    <ActionSheet<StoppedProject, StoppedProject>
      title={text(`projects.title.${act}`, { project })}
      subject={text(`projects.means.${act}`)}
      isDangerous={act === 'stop'}
      takesReason
      onClose={onClose}
      preview={() => previewStop(order)}
      shows={(counted) => <StopCounts counted={counted} act={act} />}
      choices={
        act === 'stop' && (
          <Checkbox
            label={text('projects.recall')}
            checked={recall}
            onChange={(event) => setRecall(event.currentTarget.checked)}
          />
        )
      }
      button={({ held }) => text(`projects.button.${act}`, { count: wholeText(held) })}
      act={(key, reason) => doStop({ ...order, ...(reason !== '' && { reason }) }, key)}
      came={() => <p>{text(`projects.done.${act}`)}</p>}
    />
  );
}

function StopCounts({ counted, act }: { readonly counted: StoppedProject; readonly act: StopOrder['act'] }) {
  const text = useTexts();
  const { held, atPushService } = counted;
  const { reservations, next, standing, inFlight } = atPushService;
  return (
    <ul className={styles.counts}>
      <li>{text(`projects.held.${act}`, { count: wholeText(held), n: held })}</li>
      {reservations > 0 && (
        <li>
          {text('projects.reservations', { count: wholeText(reservations), n: reservations })}
          {next !== null && (
            <>
              {' '}
              {text('overview.nextHeld')} <Time at={next} relative />
            </>
          )}
        </li>
      )}
      {standing > 0 && <li>{text('projects.standing', { count: wholeText(standing), n: standing })}</li>}
      {inFlight > 0 && <li>{text('act.inFlight', { count: wholeText(inFlight), n: inFlight })}</li>}
    </ul>
  );
}
