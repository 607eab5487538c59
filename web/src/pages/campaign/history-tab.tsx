// Every change of a campaign, the oldest first: when, from what to what, why, and by whom.
import { useInfiniteQuery } from '@tanstack/react-query';
import { historyQuery, type WholeCampaign } from '../../api/campaigns.ts';
import { rowsOf } from '../../api/paging.ts';
import { useTexts } from '../../i18n/text.ts';
import { ChangeTable } from '../../parts/history/change-table.tsx';
import { Empty, Panel } from '../../parts/panel/panel.tsx';
import { ListFoot } from '../../parts/table/list-foot.tsx';

export function HistoryTab({ campaign: { id } }: { readonly campaign: WholeCampaign }) {
  const text = useTexts();
  const query = useInfiniteQuery(historyQuery(id));
  const changes = rowsOf(query.data) ?? [];
  return (
    <Panel
      query={query}
      rows={5}
      empty={() => (changes.length > 0 ? undefined : <Empty>{text('history.none')}</Empty>)}
    >
      {() => (
        <ChangeTable
          changes={changes}
          of="campaign"
          foot={<ListFoot query={query} shown={changes.length} />}
        />
      )}
    </Panel>
  );
}
