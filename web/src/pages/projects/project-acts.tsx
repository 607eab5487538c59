// What can be done to a project: a check of its gateway, which sends nothing; a stop and a start, which count first.
import { Button, Modal } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { checkProject, type GatewayReport, type Project } from '../../api/projects.ts';
import { useMay } from '../../app/session-context.ts';
import { useTexts } from '../../i18n/text.ts';
import { Failed } from '../../parts/panel/failed.tsx';
import { StopSheet } from './stop-sheet.tsx';
import styles from './projects.module.css';

export function ProjectActs({ project }: { readonly project: Project }) {
  const { serviceId, blocked } = project;
  const text = useTexts();
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  const act = blocked === null ? 'stop' : 'start';
  const check = useMutation({ mutationFn: () => checkProject(serviceId) });
  return (
    <span className={styles.acts}>
      {may('post /v1/projects/{id}/check') && (
        <Button size="xs" onClick={() => check.mutate()}>
          {text('projects.check')}
        </Button>
      )}
      {may(`post /v1/projects/{id}/${act}`) && (
        <Button size="xs" onClick={() => setOpen(true)}>
          {text(`projects.${act}`)}…
        </Button>
      )}
      {isOpen && <StopSheet project={serviceId} act={act} onClose={() => setOpen(false)} />}
      {check.status !== 'idle' && (
        <Modal
          opened
          centered
          title={text('projects.checkTitle', { project: serviceId })}
          onClose={() => check.reset()}
          closeButtonProps={{ 'aria-label': text('sheet.close') }}
        >
          {check.isPending && <p>{text('projects.checking')}</p>}
          {check.error !== null && <Failed error={check.error} again={() => check.mutate()} />}
          {check.data !== undefined && <Checks report={check.data} />}
        </Modal>
      )}
    </span>
  );
}

function Checks({ report: { checks } }: { readonly report: GatewayReport }) {
  const text = useTexts();
  return (
    <ul className={styles.checks}>
      {checks.map(({ name, ok, text: words }) => (
        <li key={name}>
          <span className={ok ? styles.well : styles.badly} aria-hidden="true">
            {ok ? '✓' : '✕'}
          </span>
          <span>
            <strong>{text.word(`projects.check.${name}`, name)}</strong> <span lang="en">{words}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}
