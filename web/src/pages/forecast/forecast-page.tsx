// What is planned, whether it leaves in time at the rate of each project, which campaigns would be late, and what would help.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback } from 'react';
import { forecastQuery, type Forecast } from '../../api/forecast.ts';
import { useTexts } from '../../i18n/text.ts';
import { FilterBar, FilterChoice, FilterText } from '../../parts/filter/filter-bar.tsx';
import { PageHead } from '../../parts/page/page-head.tsx';
import { Empty, Panel } from '../../parts/panel/panel.tsx';
import { DataTable } from '../../parts/table/data-table.tsx';
import { useClock } from '../../parts/time/clock-context.ts';
import { Time } from '../../parts/time/time.tsx';
import { useForecastProjectColumns, useStepColumns } from './forecast-columns.tsx';
import { LateCampaigns } from './late-campaigns.tsx';
import { Load } from './load.tsx';
import { AHEAD, forecastAsk, FORECAST_KEYS, type ForecastSearch } from './forecast-search.ts';
import styles from './forecast.module.css';

const route = getRouteApi('/forecast');

export function ForecastPage() {
  const text = useTexts();
  const search = route.useSearch();
  const { now } = useClock();
  const query = useQuery(forecastQuery(forecastAsk(search, now())));
  return (
    <>
      <PageHead title={text('page.forecast')} facts={<span>{text('forecast.basis')}</span>} />
      <Filters search={search} />
      <Panel
        query={query}
        rows={6}
        asOf={({ asOf }) => asOf}
        empty={({ steps, projects }) =>
          steps.length > 0 || projects.some(({ notPlannedYet }) => notPlannedYet > 0) ? undefined : (
            <Empty>{text('forecast.none')}</Empty>
          )
        }
      >
        {(forecast) => <Whole forecast={forecast} />}
      </Panel>
    </>
  );
}

function Whole({ forecast }: { readonly forecast: Forecast }) {
  const text = useTexts();
  const projects = useForecastProjectColumns();
  const steps = useStepColumns(forecast);
  const { coveredTo, late, lateCampaigns } = forecast;
  return (
    <div className={styles.parts}>
      <Load forecast={forecast} />
      {coveredTo !== null && (
        <p className={styles.warning}>
          {text('forecast.coveredTo')} <Time at={coveredTo} />
        </p>
      )}
      <section>
        <h2>{text('forecast.late')}</h2>
        <LateCampaigns late={late} all={lateCampaigns} />
      </section>
      <section>
        <h2>{text('forecast.projects')}</h2>
        <DataTable
          name={text('forecast.projects')}
          columns={projects}
          rows={forecast.projects}
          rowKey={({ serviceId }) => serviceId}
        />
      </section>
      <section>
        <h2>{text('forecast.steps')}</h2>
        <DataTable
          name={text('forecast.steps')}
          columns={steps}
          rows={forecast.steps}
          rowKey={({ at, key }) => `${at} ${key}`}
          foot={<span>{text('list.shown', { count: forecast.steps.length })}</span>}
        />
      </section>
    </div>
  );
}

function Filters({ search }: { readonly search: ForecastSearch }) {
  const text = useTexts();
  const navigate = route.useNavigate();
  const set = useCallback(
    (more: Partial<ForecastSearch>) =>
      void navigate({ search: (former) => ({ ...former, ...more }), replace: true }),
    [navigate],
  );
  return (
    <FilterBar isFiltered={Object.keys(search).length > 0} clear={() => void navigate({ search: {} })}>
      <FilterChoice
        label={text('forecast.ahead')}
        value={search.ahead}
        choices={AHEAD.map((ahead) => ({
          value: ahead === '24h' ? '' : ahead,
          label: text(`forecast.ahead.${ahead}`),
        }))}
        choose={(ahead) => set({ ahead: ahead as ForecastSearch['ahead'] })}
      />
      <FilterChoice
        label={text('reports.by')}
        value={search.by}
        choices={FORECAST_KEYS.map((key) => ({
          value: key === 'project' ? '' : key,
          label: text('reports.byKey', { key: text(`reports.key.${key}`) }),
        }))}
        choose={(by) => set({ by: by as ForecastSearch['by'] })}
      />
      <FilterText
        label={text('filter.service')}
        value={search.service}
        choose={(service) => set({ service })}
      />
      <FilterText label={text('forecast.with')} value={search.with} choose={(plan) => set({ with: plan })} />
    </FilterBar>
  );
}
