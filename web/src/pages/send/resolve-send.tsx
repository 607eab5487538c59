// Nobody knows whether an uncertain send went out, so nobody repeats it. Whoever found out says so here: beside the facts, what each answer means,
// and what it would cost if it were wrong.
import { Button, Radio, TextInput } from '@mantine/core';
import { useState } from 'react';
import { resolveSend, type Resolution } from '../../api/resolves.ts';
import type { Attempt, Send, WholeSend } from '../../api/sends.ts';
import { useMay } from '../../app/session-context.ts';
import { useTexts } from '../../i18n/text.ts';
import { ActionSheet } from '../../parts/act/action-sheet.tsx';
import { wholeText } from '../../parts/figure/figure-text.ts';
import { Reason } from '../../parts/reason/reason.tsx';
import { SendStateMark } from '../../parts/state/state.tsx';
import { Time } from '../../parts/time/time.tsx';
import styles from './send.module.css';

const RESOLUTIONS = ['confirmed-sent', 'confirmed-not-sent'] as const;

export interface ResolveSendProps {
  readonly send: WholeSend;
  /** In their order. */
  readonly attempts: readonly Attempt[];
}

export function ResolveSend({ send, attempts }: ResolveSendProps) {
  const text = useTexts();
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  const [resolution, setResolution] = useState<Resolution>();
  const [requestId, setRequestId] = useState('');
  if (send.state !== 'uncertain' || !may('post /v1/sends/{id}/resolve')) return null;
  return (
    <>
      <Button variant="filled" onClick={() => setOpen(true)}>
        {text('resolve.open')}…
      </Button>
      {isOpen && (
        <ActionSheet<null, Send>
          title={text('resolve.title')}
          subject={`${send.campaignId ?? send.campaign} · ${send.zone ?? send.cell}`}
          onClose={() => setOpen(false)}
          takesReason
          preview={() => Promise.resolve(null)}
          shows={() => <Facts send={send} attempts={attempts} />}
          choices={
            <Choices
              recipients={send.recipients}
              resolution={resolution}
              setResolution={setResolution}
              requestId={requestId}
              setRequestId={setRequestId}
            />
          }
          button={() => text(resolution === undefined ? 'resolve.choose' : `resolve.button.${resolution}`)}
          isReady={resolution !== undefined}
          act={(key, reason) =>
            resolveSend(
              {
                send: send.id,
                resolution: resolution ?? 'confirmed-sent',
                requestId: resolution === 'confirmed-sent' ? requestId.trim() : undefined,
                reason,
              },
              key,
            )
          }
          came={({ state }) => (
            <p>
              {text('resolve.done')} <SendStateMark state={state} />
            </p>
          )}
        />
      )}
    </>
  );
}

function Facts({ send, attempts }: ResolveSendProps) {
  const text = useTexts();
  const last = attempts.at(-1);
  return (
    <dl className={styles.facts}>
      <dt>{text('resolve.why')}</dt>
      <dd>
        <Reason code={send.code} detail={send.detail} />
      </dd>
      {last !== undefined && (
        <>
          <dt>{text('resolve.lastCall')}</dt>
          <dd>
            <Time at={last.startedAt} seconds /> ·{' '}
            {last.requestSent === null
              ? text('resolve.leftUnknown')
              : text(last.requestSent ? 'resolve.left' : 'resolve.notLeft')}
          </dd>
          <dt>{text('resolve.answer')}</dt>
          <dd>
            {last.httpStatus ?? text('resolve.noAnswer')}
            {last.answer !== null && <div className={styles.answer}>{last.answer}</div>}
          </dd>
        </>
      )}
      <dt>{text('resolve.requestId')}</dt>
      <dd>{send.requestId === null ? text('resolve.noRequestId') : <code>{send.requestId}</code>}</dd>
    </dl>
  );
}

interface ChoicesProps {
  readonly recipients: number | null;
  readonly resolution: Resolution | undefined;
  readonly setResolution: (resolution: Resolution) => void;
  readonly requestId: string;
  readonly setRequestId: (id: string) => void;
}

function Choices({ recipients, resolution, setResolution, requestId, setRequestId }: ChoicesProps) {
  const text = useTexts();
  const count = recipients === null ? text('resolve.itsRecipients') : wholeText(recipients);
  return (
    <>
      <Radio.Group
        label={text('resolve.question')}
        value={resolution ?? null}
        onChange={(value) => setResolution(value)}
      >
        <div className={styles.choices}>
          {RESOLUTIONS.map((one) => (
            <Radio
              key={one}
              value={one}
              label={text(`resolve.${one}`)}
              description={text(`resolve.cost.${one}`, { count })}
            />
          ))}
        </div>
      </Radio.Group>
      {resolution === 'confirmed-sent' && (
        <TextInput
          label={text('resolve.giveRequestId')}
          description={text('resolve.giveRequestIdHint')}
          maxLength={200}
          value={requestId}
          onChange={(event) => setRequestId(event.currentTarget.value)}
        />
      )}
    </>
  );
}
