// Writing a campaign: the main members as fields and all of it as text on the left, the plan that the server would make of it on the right. The draft
// is kept in this tab until one signs out.
import { Button } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { asProblem } from '../../api/api-error.ts';
import { dryRunQuery, servicesQuery, type DryRun } from '../../api/compose.ts';
import { useTexts } from '../../i18n/text.ts';
import { JsonEditor } from '../../parts/json-editor/json-editor.tsx';
import { PageHead } from '../../parts/page/page-head.tsx';
import { Failed } from '../../parts/panel/failed.tsx';
import { useClock } from '../../parts/time/clock-context.ts';
import { ComposeForm } from './compose-form.tsx';
import { dayAfter, EXAMPLES, exampleOf } from './examples.ts';
import { dataOf, textMember } from './json-members.ts';
import { PlanPreview } from './plan-preview.tsx';
import { Publish } from './publish.tsx';
import styles from './compose.module.css';

const KEPT_AS = 'carillon.draft';
const SETTLED_MS = 400;

interface Draft {
  readonly campaignId: string;
  readonly json: string;
}

export function ComposePage() {
  const text = useTexts();
  const { now } = useClock();
  const services = useQuery(servicesQuery);
  const [draft, setDraft] = useState<Draft | undefined>(keptDraft);
  const service = services.data?.items[0]?.serviceId;
  const begun =
    draft ??
    (service === undefined
      ? undefined
      : { campaignId: '', json: exampleOf('recipients', service, dayAfter(now())) });
  useEffect(() => {
    if (draft !== undefined) window.sessionStorage.setItem(KEPT_AS, JSON.stringify(draft));
  }, [draft]);
  if (begun === undefined) {
    return (
      <>
        <PageHead title={text('page.compose')} />
        {services.error !== null && <Failed error={services.error} again={() => void services.refetch()} />}
        {services.data !== undefined && <p>{text('compose.noService')}</p>}
      </>
    );
  }
  return <Composer draft={begun} change={(more) => setDraft({ ...begun, ...more })} />;
}

interface ComposerProps {
  readonly draft: Draft;
  readonly change: (more: Partial<Draft>) => void;
}

function Composer({ draft: { campaignId, json }, change }: ComposerProps) {
  const text = useTexts();
  const settled = useSettled(json);
  const data = useMemo(() => dataOf(settled), [settled]);
  const query = useQuery({ ...dryRunQuery(data, settled), placeholderData: keepPreviousData });
  const { data: plan, error } = query;
  const problems = useMemo(() => problemsOf(error), [error]);
  const isOlder = json !== settled || query.isPlaceholderData || query.isFetching;
  const current = data !== undefined && !isOlder && error === null ? plan : undefined;
  const freshness = data === undefined ? 'editor.noJson' : 'compose.working';
  return (
    <>
      <PageHead
        title={text('page.compose')}
        facts={
          <Examples
            serviceId={plan?.serviceId ?? textMember(json, ['serviceId'])}
            take={(example) => change({ json: example })}
          />
        }
        acts={
          <Publish
            campaignId={campaignId}
            current={current === undefined || data === undefined ? undefined : { data, plan: current }}
            lookAgain={() => void query.refetch()}
          />
        }
      />
      <div className={styles.halves}>
        <div className={styles.half}>
          <ComposeForm
            campaignId={campaignId}
            setCampaignId={(id) => change({ campaignId: id })}
            json={json}
            setJson={(next) => change({ json: next })}
          />
          <JsonEditor
            label={text('event.data')}
            value={json}
            onChange={(next) => change({ json: next })}
            problems={problems}
          />
        </div>
        <section className={styles.half} aria-label={text('compose.preview')}>
          <h2>
            {text('compose.preview')}{' '}
            <span className={styles.fresh} role="status">
              {text(current === undefined ? freshness : 'compose.current')}
            </span>
          </h2>
          <Shown plan={plan} error={error} isOlder={isOlder} />
        </section>
      </div>
    </>
  );
}

interface ShownProps {
  readonly plan: DryRun | undefined;
  readonly error: unknown;
  readonly isOlder: boolean;
}

function Shown({ plan, error, isOlder }: ShownProps) {
  return (
    <>
      {error !== null && <Failed error={error} known={plan !== undefined} />}
      {plan !== undefined && <PlanPreview plan={plan} isOlder={isOlder || error !== null} />}
    </>
  );
}

interface ExamplesProps {
  readonly serviceId: string;
  readonly take: (json: string) => void;
}

function Examples({ serviceId, take }: ExamplesProps) {
  const text = useTexts();
  const { now } = useClock();
  return (
    <>
      {EXAMPLES.map((example) => (
        <Button
          key={example}
          size="xs"
          variant="subtle"
          onClick={() => take(exampleOf(example, serviceId, dayAfter(now())))}
        >
          {text(`compose.example.${example}`)}
        </Button>
      ))}
    </>
  );
}

/** The text a moment after the last key. */
function useSettled(json: string): string {
  const [settled, setSettled] = useState(json);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(json), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [json]);
  return settled;
}

function problemsOf(error: unknown) {
  if (error === null || error === undefined) return [];
  return asProblem(error).problems.map(({ pointer, text }) => ({
    pointer,
    text,
    severity: 'error' as const,
  }));
}

function keptDraft(): Draft | undefined {
  try {
    const kept = JSON.parse(window.sessionStorage.getItem(KEPT_AS) ?? '') as Partial<Draft>;
    return typeof kept.json === 'string' && typeof kept.campaignId === 'string'
      ? { json: kept.json, campaignId: kept.campaignId }
      : undefined;
  } catch {
    return undefined;
  }
}
