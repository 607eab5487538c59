// The text of a refused event in an editor: asked again whether it would be taken, without keeping anything, and replayed as it stands here.
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { judgeEvent } from '../../api/events.ts';
import { replayRejection, type SettledRejection, type WholeRejection } from '../../api/rejections.ts';
import { useTexts } from '../../i18n/text.ts';
import { ActionSheet } from '../../parts/act/action-sheet.tsx';
import { JsonEditor } from '../../parts/json-editor/json-editor.tsx';
import { Failed } from '../../parts/panel/failed.tsx';
import { ProblemList } from './problem-list.tsx';
import { ReplayedWords } from './settle-acts.tsx';
import styles from './rejected.module.css';

export interface MendEventProps {
  readonly rejection: WholeRejection;
  readonly event: Readonly<Record<string, unknown>>;
  readonly isMendable: boolean;
}

export function MendEvent({ rejection, event, isMendable }: MendEventProps) {
  const text = useTexts();
  const [json, setJson] = useState(() => JSON.stringify(event, null, 2));
  const [isReplaying, setReplaying] = useState(false);
  const edited = useMemo(() => parsed(json), [json]);
  const judge = useMutation({ mutationFn: judgeEvent });
  const problems = judge.data?.problems ?? rejection.problems;
  const marked = useMemo(
    () => problems.map(({ pointer, text: words }) => ({ pointer, text: words, severity: 'error' as const })),
    [problems],
  );
  const validate = (): void => {
    if (edited !== undefined) judge.mutate(edited);
  };
  return (
    <section className={styles.mend}>
      {judge.data !== undefined && judge.data.problems.length === 0 ? (
        <p className={styles.well} role="status">
          ✓ {text(`rejected.verdict.${judge.data.verdict}`)}
        </p>
      ) : (
        <ProblemList problems={problems} json={json} />
      )}
      {judge.error !== null && <Failed error={judge.error} />}
      <JsonEditor
        label={text('rejected.text')}
        value={json}
        onChange={setJson}
        problems={marked}
        onCommit={validate}
        readOnly={!isMendable}
      />
      {isMendable && (
        <div className={styles.acts}>
          <Button disabled={edited === undefined} loading={judge.isPending} onClick={validate}>
            {text('rejected.validate')}
          </Button>
          <Button variant="filled" disabled={edited === undefined} onClick={() => setReplaying(true)}>
            {text('rejected.replayEdited')}…
          </Button>
          {edited === undefined && <span className={styles.quiet}>{text('editor.noJson')}</span>}
        </div>
      )}
      {isReplaying && edited !== undefined && (
        <ActionSheet<Awaited<ReturnType<typeof judgeEvent>>, SettledRejection>
          title={text('rejected.replayEdited')}
          subject={rejection.seen.subject ?? rejection.id}
          onClose={() => setReplaying(false)}
          preview={() => judgeEvent(edited)}
          shows={(judged) =>
            judged.problems.length === 0 ? (
              <p>
                {text(`rejected.verdict.${judged.verdict}`)} {text('rejected.linked')}
              </p>
            ) : (
              <>
                <p>{text('rejected.stillRefused')}</p>
                <ProblemList problems={judged.problems} json={json} />
              </>
            )
          }
          button={({ problems: left }) => (left.length === 0 ? text('rejected.replay') : undefined)}
          act={(key) => replayRejection({ id: rejection.id, event: edited }, key)}
          came={(settled) => <ReplayedWords settled={settled} />}
        />
      )}
    </section>
  );
}

function parsed(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}
