// What devices get: the phones of one language first, then a line for each device type and language, with its bytes and where its text stands.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { WholeCampaign } from '../../api/campaigns.ts';
import { revisionQuery, type Revision } from '../../api/revisions.ts';
import { useTexts } from '../../i18n/text.ts';
import { FilterBar, FilterChoice } from '../../parts/filter/filter-bar.tsx';
import { Empty, Panel } from '../../parts/panel/panel.tsx';
import { languagesOf, Phones } from '../../parts/phone/phones.tsx';
import { DataTable } from '../../parts/table/data-table.tsx';
import { RevisionChoice } from './revision-choice.tsx';
import styles from './campaign.module.css';

const route = getRouteApi('/campaigns/$id');

export function MessageTab({ campaign }: { readonly campaign: WholeCampaign }) {
  const text = useTexts();
  const { revision = campaign.revision } = route.useSearch();
  const query = useQuery(revisionQuery(campaign.id, revision));
  return (
    <div className={styles.parts}>
      <Choices campaign={campaign} shown={query.data} />
      <Panel
        query={query}
        rows={5}
        empty={({ messages }) => (messages.length > 0 ? undefined : <Empty>{text('message.none')}</Empty>)}
      >
        {(shown) => <Messages campaign={campaign} revision={shown} />}
      </Panel>
    </div>
  );
}

function Choices({
  campaign,
  shown,
}: {
  readonly campaign: WholeCampaign;
  readonly shown: Revision | undefined;
}) {
  const text = useTexts();
  const { language } = route.useSearch();
  const navigate = route.useNavigate();
  const languages = languagesOf(shown?.messages ?? []);
  if (campaign.revisions.length < 2 && languages.length === 0) return null;
  return (
    <FilterBar isFiltered={false} clear={() => undefined}>
      <RevisionChoice campaign={campaign} />
      {languages.length > 0 && (
        <FilterChoice
          label={text('message.language')}
          value={language}
          choices={[
            { value: '', label: text('message.others') },
            ...languages.map((one) => ({ value: one, label: languageName(one, text.locale) })),
          ]}
          choose={(one) =>
            void navigate({ search: (former) => ({ ...former, language: one }), replace: true })
          }
        />
      )}
    </FilterBar>
  );
}

function Messages({
  campaign: { serviceId },
  revision: { messages, moreMessages },
}: {
  readonly campaign: WholeCampaign;
  readonly revision: Revision;
}) {
  const text = useTexts();
  const { language } = route.useSearch();
  return (
    <div className={styles.parts}>
      <Phones messages={messages} language={language} app={serviceId} />
      <DataTable
        name={text('campaign.tab.message')}
        rows={messages}
        rowKey={(one) => `${one.deviceType} ${one.language}`}
        {...(moreMessages && { foot: text('message.more') })}
        columns={[
          {
            key: 'device',
            head: text('message.device'),
            title: true,
            cell: ({ deviceType }) => text.word(`device.${deviceType}`, deviceType),
          },
          {
            key: 'language',
            head: text('message.language'),
            title: true,
            cell: (one) =>
              one.language === null ? text('message.others') : languageName(one.language, text.locale),
          },
          {
            key: 'text',
            head: text('message.text'),
            wide: true,
            cell: (one) => (
              <span lang={one.language ?? undefined}>
                {one.title !== null && <strong>{one.title} </strong>}
                {one.text}
              </span>
            ),
          },
          {
            key: 'from',
            head: text('message.from'),
            cell: ({ from }) => (from === null ? '–' : <code className={styles.code}>{from}</code>),
          },
          {
            key: 'bytes',
            head: text('message.size'),
            align: 'right',
            cell: ({ bytes, isTooLarge }) => (
              <span className={isTooLarge ? styles.attention : undefined}>
                {isTooLarge && '✕ '}
                {text('message.bytes', { bytes })}
              </span>
            ),
          },
        ]}
      />
    </div>
  );
}

/** `Korean (ko)`, by the browser; a tag that it does not know stays as it is. */
function languageName(tag: string, locale: string): string {
  try {
    const name = new Intl.DisplayNames(locale, { type: 'language' }).of(tag);
    return name === undefined || name === tag ? tag : `${name} (${tag})`;
  } catch {
    return tag;
  }
}
