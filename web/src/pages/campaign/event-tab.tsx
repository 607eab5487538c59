// The event of a revision as its publisher wrote it, by whom and when; what it changed in the event before, and in the plan.
import { Button, CopyButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { WholeCampaign } from '../../api/campaigns.ts';
import { revisionQuery, type Revision } from '../../api/revisions.ts';
import { useTexts } from '../../i18n/text.ts';
import { wholeText } from '../../parts/figure/figure-text.ts';
import { FilterBar } from '../../parts/filter/filter-bar.tsx';
import { Panel } from '../../parts/panel/panel.tsx';
import { DataTable } from '../../parts/table/data-table.tsx';
import { Time } from '../../parts/time/time.tsx';
import { changedMembers } from './changed-members.ts';
import { RevisionChoice } from './revision-choice.tsx';
import styles from './campaign.module.css';

const route = getRouteApi('/campaigns/$id');

export function EventTab({ campaign }: { readonly campaign: WholeCampaign }) {
  const { revision = campaign.revision } = route.useSearch();
  const query = useQuery(revisionQuery(campaign.id, revision));
  return (
    <div className={styles.parts}>
      {campaign.revisions.length > 1 && (
        <FilterBar isFiltered={false} clear={() => undefined}>
          <RevisionChoice campaign={campaign} />
        </FilterBar>
      )}
      <Panel query={query} rows={8}>
        {(shown) => (
          <div className={styles.parts}>
            <Origin revision={shown} />
            {shown.revision > 1 && <Changes campaign={campaign} revision={shown} />}
            <Data revision={shown} />
          </div>
        )}
      </Panel>
    </div>
  );
}

function Origin({ revision: { publishedBy, takenAt, event, difference } }: { readonly revision: Revision }) {
  const text = useTexts();
  return (
    <div>
      <p>
        {text('event.publishedBy')} <strong>{publishedBy}</strong> · <Time at={takenAt} seconds relative />
      </p>
      <p className={styles.quiet}>
        {text('event.id')} <code className={styles.code}>{event}</code>
      </p>
      {difference !== null && (
        <p>
          {text('event.difference', {
            changed: wholeText(difference.requests.changed),
            fresh: wholeText(difference.requests.new),
            gone: wholeText(difference.requests.gone),
            same: wholeText(difference.requests.same),
            late: wholeText(difference.requests.late),
          })}
        </p>
      )}
    </div>
  );
}

function Changes({ campaign, revision }: { readonly campaign: WholeCampaign; readonly revision: Revision }) {
  const text = useTexts();
  const before = useQuery(revisionQuery(campaign.id, revision.revision - 1));
  return (
    <Panel title={text('event.changes', { before: revision.revision - 1 })} query={before} rows={2}>
      {(former) => {
        const changes = changedMembers(former.data, revision.data);
        if (changes.length === 0) return <p className={styles.quiet}>{text('event.noChanges')}</p>;
        return (
          <DataTable
            name={text('event.changes', { before: former.revision })}
            rows={changes}
            rowKey={({ pointer }) => pointer}
            columns={[
              {
                key: 'pointer',
                head: text('event.member'),
                title: true,
                cell: ({ pointer }) => <code className={styles.code}>{pointer}</code>,
              },
              { key: 'was', head: text('event.was'), cell: ({ was }) => <Value json={was} /> },
              { key: 'is', head: text('event.is'), wide: true, cell: ({ is }) => <Value json={is} /> },
            ]}
          />
        );
      }}
    </Panel>
  );
}

const Value = ({ json }: { readonly json: string | undefined }) =>
  json === undefined ? '–' : <code className={styles.value}>{json}</code>;

function Data({ revision: { data, cut } }: { readonly revision: Revision }) {
  const text = useTexts();
  const json = JSON.stringify(data, null, 2);
  return (
    <section className={styles.event}>
      <div className={styles.eventHead}>
        <h2>{text('event.data')}</h2>
        <CopyButton value={json}>
          {({ copied, copy }) => (
            <Button size="xs" onClick={copy}>
              {text(copied ? 'copy.done' : 'event.copy')}
            </Button>
          )}
        </CopyButton>
      </div>
      {Object.entries(cut).map(([pointer, count]) => (
        <p key={pointer} className={styles.quiet}>
          {text.rich('event.cut', {
            pointer: <code className={styles.code}>{pointer}</code>,
            count: wholeText(count),
          })}
        </p>
      ))}
      {/* The block scrolls, so the keyboard must reach it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre className={styles.json} lang="en" tabIndex={0} aria-label={text('event.data')}>
        {json}
      </pre>
    </section>
  );
}
