// The plan: the sums first, then a line for each cell with the recipients' day, what was decided and why, and how its sends stand.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { planQuery, reportQuery, type Plan, type WholeCampaign } from '../../api/campaigns.ts';
import { rowsOf } from '../../api/paging.ts';
import { useMay } from '../../app/session-context.ts';
import { useTexts } from '../../i18n/text.ts';
import { FilterBar, FilterChoice } from '../../parts/filter/filter-bar.tsx';
import { Empty, Panel } from '../../parts/panel/panel.tsx';
import { DataTable } from '../../parts/table/data-table.tsx';
import { ListFoot } from '../../parts/table/list-foot.tsx';
import { CampaignSums } from './campaign-sums.tsx';
import { usePlanColumns } from './plan-columns.tsx';
import styles from './campaign.module.css';

const route = getRouteApi('/campaigns/$id');

export function PlanTab({ campaign }: { readonly campaign: WholeCampaign }) {
  const text = useTexts();
  const { occurrence } = route.useSearch();
  const query = useInfiniteQuery(planQuery(campaign.id, occurrence === undefined ? {} : { occurrence }));
  // Publishers may not read reports.
  const mayReport = useMay()('get /v1/reports/campaigns/{id}');
  const report = useQuery({ ...reportQuery(campaign.id, occurrence), enabled: mayReport });
  const cells = rowsOf(query.data) ?? [];
  const [plan] = query.data?.pages ?? [];
  const columns = usePlanColumns(campaign, plan);
  return (
    <div className={styles.parts}>
      <OccurrenceChoice campaign={campaign} />
      {mayReport && (
        <Panel query={report} rows={2} asOf={({ asOf }) => asOf}>
          {(found) => <CampaignSums report={found} />}
        </Panel>
      )}
      {plan?.warnings !== undefined && plan.warnings.length > 0 && <Warnings warnings={plan.warnings} />}
      <Panel
        query={query}
        rows={6}
        empty={() => (cells.length > 0 ? undefined : <NoCells campaign={campaign} plan={plan} />)}
      >
        {() => (
          <DataTable
            name={text('campaign.tab.plan')}
            columns={columns}
            rows={cells}
            rowKey={({ occurrence: of, cell }) => `${of} ${cell}`}
            foot={
              <ListFoot query={query} shown={cells.length}>
                {plan?.tzdata !== undefined && (
                  <span>{text('plan.tzdata', { version: plan.tzdata.version })}</span>
                )}
              </ListFoot>
            }
          />
        )}
      </Panel>
    </div>
  );
}

export function OccurrenceChoice({ campaign: { occurrences } }: { readonly campaign: WholeCampaign }) {
  const text = useTexts();
  const { occurrence } = route.useSearch();
  const navigate = route.useNavigate();
  if (occurrences.length < 2) return null;
  return (
    <FilterBar isFiltered={false} clear={() => undefined}>
      <FilterChoice
        label={text('campaign.occurrence')}
        value={occurrence}
        choices={[
          { value: '', label: text('campaign.allOccurrences') },
          ...occurrences.map(({ occurrence: one, state }) => ({
            value: one,
            label: `${one} · ${text.word(`occurrence.${state}`, state)}`,
          })),
        ]}
        choose={(one) => void navigate({ search: (former) => ({ ...former, occurrence: one }) })}
      />
    </FilterBar>
  );
}

/** The server's own words. */
function Warnings({ warnings }: { readonly warnings: NonNullable<Plan['warnings']> }) {
  return (
    <ul className={styles.warnings} lang="en">
      {warnings.map(({ code, text: words, pointer }) => (
        <li key={`${code} ${pointer}`}>
          {words} <code className={styles.code}>{code}</code>
        </li>
      ))}
    </ul>
  );
}

function NoCells({ campaign, plan }: { readonly campaign: WholeCampaign; readonly plan: Plan | undefined }) {
  const text = useTexts();
  if (plan?.refusal !== null && plan?.refusal !== undefined) return <Empty>{text('plan.refused')}</Empty>;
  return <Empty>{text(campaign.state === 'accepted' ? 'plan.notYet' : 'plan.noCells')}</Empty>;
}
