// Which revision is looked at, as it stands in the address. The one in force is the default.
import { getRouteApi } from '@tanstack/react-router';
import type { WholeCampaign } from '../../api/campaigns.ts';
import { useTexts } from '../../i18n/text.ts';
import { FilterChoice } from '../../parts/filter/filter-bar.tsx';

const route = getRouteApi('/campaigns/$id');

export function RevisionChoice({ campaign }: { readonly campaign: WholeCampaign }) {
  const text = useTexts();
  const { revision } = route.useSearch();
  const navigate = route.useNavigate();
  if (campaign.revisions.length < 2) return null;
  return (
    <FilterChoice
      label={text('revision.choose')}
      value={revision === undefined ? undefined : String(revision)}
      choices={[
        { value: '', label: text('revision.current', { revision: campaign.revision }) },
        ...campaign.revisions
          .filter((one) => one.revision !== campaign.revision)
          .map((one) => ({
            value: String(one.revision),
            label: `r${one.revision} · ${text.word(`revision.${one.state}`, one.state)}`,
          })),
      ]}
      choose={(one) =>
        void navigate({
          search: (former) => ({ ...former, revision: one === undefined ? undefined : Number(one) }),
        })
      }
    />
  );
}
