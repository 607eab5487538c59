// Around each part: the parts that this person may open as tabs, which keep the service that was chosen.
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMay } from '../../app/session-context.ts';
import { useTexts } from '../../i18n/text.ts';
import { PageHead } from '../../parts/page/page-head.tsx';
import { PageTabs } from '../../parts/page/page-tabs.tsx';
import { Empty } from '../../parts/panel/panel.tsx';
import { AUDIENCE_VIEWS, type AudienceView } from './audience-views.ts';

export interface AudiencesFrameProps {
  readonly view: AudienceView;
  readonly service: string | undefined;
  readonly acts?: ReactNode;
  readonly children: ReactNode;
}

export function AudiencesFrame({ view, service, acts, children }: AudiencesFrameProps) {
  const text = useTexts();
  const may = useMay();
  const views = AUDIENCE_VIEWS.filter(({ needs }) => may(needs));
  const isAllowed = views.some(({ to }) => to === view);
  return (
    <>
      <PageHead title={text('page.audiences')} acts={isAllowed && acts} />
      <PageTabs name={text('audiences.views')}>
        {(tabClass) =>
          views.map(({ to, word }) => (
            <Link
              key={to}
              to={to}
              search={service === undefined ? {} : { service }}
              className={tabClass}
              activeOptions={{ exact: true, includeSearch: false }}
              activeProps={{ 'aria-current': 'page' }}
            >
              {text(word)}
            </Link>
          ))
        }
      </PageTabs>
      {isAllowed ? children : <Empty>{text('failed.forbidden')}</Empty>}
    </>
  );
}
