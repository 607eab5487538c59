// Publishing what is written: exactly the plan that was looked at, or nothing. The sheet says the counts and every warning first. A plan that has
// changed meanwhile is refused by the server and shown anew.
import { Button, Checkbox, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { asProblem } from '../../api/api-error.ts';
import type { DryRun } from '../../api/compose.ts';
import { judgeEvent, publishEvent, type Judged } from '../../api/events.ts';
import { useTexts } from '../../i18n/text.ts';
import { ActionSheet } from '../../parts/act/action-sheet.tsx';
import { wholeText } from '../../parts/figure/figure-text.ts';
import { Time } from '../../parts/time/time.tsx';
import type { Data } from './json-members.ts';
import styles from './compose.module.css';

const TYPE = 'carillon.campaign.scheduled.v1';
const SOURCE = '/dashboard';

interface Written {
  readonly campaignId: string;
  readonly data: Data;
  readonly plan: DryRun;
}

export interface PublishProps {
  readonly campaignId: string;
  /** What is written and its plan; undefined: the plan of this text is not known yet. */
  readonly current: Omit<Written, 'campaignId'> | undefined;
  /** The plan is of another text, or of an hour ago: looked at anew. */
  readonly lookAgain: () => void;
}

type Way = 'publish' | 'test';
type Published = Awaited<ReturnType<typeof publishEvent>>;

export function Publish({ campaignId, current, lookAgain }: PublishProps) {
  const text = useTexts();
  // What the sheet was opened with stays in it, whatever is worked out anew behind it.
  const [open, setOpen] = useState<Written & { readonly way: Way }>();
  const id = campaignId.trim();
  const isReady = id !== '' && current !== undefined && current.plan.refusal === null;
  const openAs = (way: Way): void => {
    if (current !== undefined) setOpen({ ...current, campaignId: id, way });
  };
  return (
    <>
      <Button disabled={!isReady} onClick={() => openAs('test')}>
        {text('compose.test')}…
      </Button>
      <Button variant="filled" disabled={!isReady} onClick={() => openAs('publish')}>
        {text('compose.publish')}…
      </Button>
      {open !== undefined && <Sheet {...open} lookAgain={lookAgain} close={() => setOpen(undefined)} />}
    </>
  );
}

interface SheetProps extends Written {
  readonly lookAgain: () => void;
  readonly way: Way;
  readonly close: () => void;
}

function Sheet({ way, campaignId, data, plan, lookAgain, close }: SheetProps) {
  const text = useTexts();
  // An answer that was lost is asked for again under the same id: it is taken once.
  const [id] = useState(() => crypto.randomUUID());
  const [isDraft, setDraft] = useState(false);
  const [testers, setTesters] = useState('');
  const testTo = testers.split(/[\s,]+/).filter((one) => one !== '');
  const event = (): Data => ({
    specversion: '1.0',
    id,
    source: SOURCE,
    type: TYPE,
    subject: campaignId,
    time: new Date().toISOString(),
    data: dataFor({ way, data, plan, isDraft, testTo }),
  });
  return (
    <ActionSheet<Judged, Published>
      title={text(`compose.${way}`)}
      subject={`${campaignId} · ${plan.serviceId}`}
      onClose={close}
      preview={() => judgeEvent({ ...event(), data })}
      shows={(judged) => <Before judged={judged} plan={plan} way={way} />}
      choices={
        way === 'test' ? (
          <TextInput
            label={text('compose.testers')}
            description={text('compose.testMeans')}
            value={testers}
            onChange={(change) => setTesters(change.currentTarget.value)}
          />
        ) : (
          <Checkbox
            label={text('compose.asDraft')}
            checked={isDraft}
            onChange={(change) => setDraft(change.currentTarget.checked)}
          />
        )
      }
      isReady={way === 'publish' || testTo.length > 0}
      button={({ problems }) =>
        problems.length > 0
          ? undefined
          : text(way === 'test' ? 'compose.testButton' : 'compose.publishButton', {
              count: wholeText(plan.totals.requests - plan.totals.skippedRequests),
            })
      }
      act={async () => {
        try {
          return await publishEvent(event());
        } catch (error) {
          if (asProblem(error).code === 'PLAN_CHANGED') lookAgain();
          throw error;
        }
      }}
      came={(taken) => <After taken={taken} />}
    />
  );
}

interface Chosen {
  readonly way: Way;
  readonly data: Data;
  readonly plan: DryRun;
  readonly isDraft: boolean;
  readonly testTo: readonly string[];
}

/** A draft and a test wait for an approval: nothing else leaves before. Their rules differ from those previewed, so they name no plan. */
function dataFor({ way, data, plan, isDraft, testTo }: Chosen): Data {
  if (way === 'publish' && !isDraft) return { ...data, planHash: plan.planHash };
  const policy = { ...(data['policy'] as Data | undefined), approval: 'required' };
  return { ...data, policy: way === 'test' ? { ...policy, testTo } : policy };
}

function Before({
  judged,
  plan,
  way,
}: {
  readonly judged: Judged;
  readonly plan: DryRun;
  readonly way: Way;
}) {
  const text = useTexts();
  const { totals, warnings } = plan;
  if (judged.problems.length > 0) {
    return (
      <ul className={styles.warnings} lang="en">
        {judged.problems.map(({ pointer, code, text: words }) => (
          <li key={`${pointer} ${code}`}>
            ✕ {words} <code className={styles.code}>{code}</code>
          </li>
        ))}
      </ul>
    );
  }
  return (
    <div className={styles.plan}>
      {way === 'publish' && (
        <p>
          {text('compose.leave', {
            count: wholeText(totals.requests - totals.skippedRequests),
            n: totals.requests - totals.skippedRequests,
          })}{' '}
          {totals.firstDueAt !== null && totals.lastDueAt !== null && (
            <>
              <Time at={totals.firstDueAt} /> – <Time at={totals.lastDueAt} />
            </>
          )}
        </p>
      )}
      <p>{text('compose.noWayBack')}</p>
      {warnings.length > 0 && (
        <ul className={styles.warnings} lang="en">
          {warnings.map(({ code, text: words }) => (
            <li key={`${code} ${words}`}>
              ⚠ {words} <code className={styles.code}>{code}</code>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function After({ taken }: { readonly taken: Published }) {
  const text = useTexts();
  const campaign = 'campaignId' in taken ? taken.campaignId : null;
  return (
    <p>
      {text('compose.taken')}{' '}
      {typeof campaign === 'string' && (
        <Link to="/campaigns/$id" params={{ id: campaign }} search={{}}>
          {text('rejected.toCampaign')} ›
        </Link>
      )}
    </p>
  );
}
