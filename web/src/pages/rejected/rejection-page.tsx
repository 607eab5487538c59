// One refused event: what is wrong with it, its text to mend where one may see it, and the ways to settle it: replayed as edited, as it came, or
// discarded. Publishers see reasons and places, and no text that another may have written.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { rejectionQuery, type WholeRejection } from '../../api/rejections.ts';
import { useMay } from '../../app/session-context.ts';
import { useTexts } from '../../i18n/text.ts';
import { CopyId } from '../../parts/copy/copy-id.tsx';
import { PageHead } from '../../parts/page/page-head.tsx';
import { Panel } from '../../parts/panel/panel.tsx';
import { Time } from '../../parts/time/time.tsx';
import { MendEvent } from './mend-event.tsx';
import { ProblemList } from './problem-list.tsx';
import { SettleActs } from './settle-acts.tsx';
import styles from './rejected.module.css';

const route = getRouteApi('/rejected/$id');

export function RejectionPage() {
  const { id } = route.useParams();
  const query = useQuery(rejectionQuery(id));
  return (
    <Panel query={query} rows={6}>
      {(rejection) => (
        <div className={styles.parts}>
          <Head rejection={rejection} />
          <Shown rejection={rejection} />
        </div>
      )}
    </Panel>
  );
}

function Head({ rejection }: { readonly rejection: WholeRejection }) {
  const text = useTexts();
  const { id, seen, serviceId, via, topic, partition, offset, rejectedAt, state } = rejection;
  return (
    <div>
      <PageHead
        title={seen.subject ?? seen.id ?? text('rejected.unnamed')}
        facts={
          <>
            <CopyId id={id} />
            <span>{serviceId ?? '–'}</span>
            <span>{text(`rejected.state.${state}`)}</span>
            <span>
              {text(`rejected.via.${via}`)}
              {topic !== null && ` · ${topic} / ${partition} / ${offset}`}
            </span>
            {seen.source !== null && <span>{seen.source}</span>}
            <span>
              {text('rejected.at')} <Time at={rejectedAt} seconds relative />
            </span>
          </>
        }
        acts={<SettleActs rejection={rejection} />}
      />
      <Settled rejection={rejection} />
    </div>
  );
}

function Settled({
  rejection: { state, settledAt, settledBy, reason, replay },
}: {
  readonly rejection: WholeRejection;
}) {
  const text = useTexts();
  if (settledAt === null) return null;
  return (
    <p>
      {text(`rejected.state.${state}`)} · <Time at={settledAt} seconds /> · {settledBy}
      {reason !== null && ` · ${reason}`}{' '}
      {replay?.campaignId !== null && replay?.campaignId !== undefined && (
        <Link to="/campaigns/$id" params={{ id: replay.campaignId }} search={{}}>
          {text('rejected.toCampaign')} ›
        </Link>
      )}
    </p>
  );
}

function Shown({ rejection }: { readonly rejection: WholeRejection }) {
  const text = useTexts();
  const may = useMay();
  const { event, bodyBase64, state, problems } = rejection;
  if (event !== null) {
    const isMendable = state === 'open' && may('post /v1/rejections/{id}/replay') && may('post /v1/events');
    return <MendEvent rejection={rejection} event={event} isMendable={isMendable} />;
  }
  return (
    <>
      <ProblemList problems={problems} />
      {bodyBase64 === null ? (
        may('get /v1/rejections/{id}/body') ? (
          <p>
            <a href={`/v1/rejections/${rejection.id}/body`} download>
              {text('rejected.download')}
            </a>
          </p>
        ) : (
          <p className={styles.quiet}>{text('rejected.noText')}</p>
        )
      ) : (
        <section>
          <h2>{text('rejected.bytes')}</h2>
          {/* The block scrolls, so the keyboard must reach it. */}
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
          <pre className={styles.bytes} tabIndex={0} aria-label={text('rejected.bytes')}>
            {textOf(bodyBase64)}
          </pre>
        </section>
      )}
    </>
  );
}

/** As text where it is text; what is no UTF-8 shows its place. */
const textOf = (base64: string): string =>
  new TextDecoder().decode(Uint8Array.from(atob(base64), (letter) => letter.codePointAt(0) ?? 0));
