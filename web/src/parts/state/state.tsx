// A state as a glyph and a word in its colour: never the colour alone.
import type { Campaign } from '../../api/campaigns.ts';
import type { SendState } from '../../api/sends.ts';
import { useTexts } from '../../i18n/text.ts';
import { Figure } from '../figure/figure.tsx';
import { CAMPAIGN_LOOKS, ENDED_BADLY, PAUSED, SEND_LOOKS, type Look } from './looks.ts';
import styles from './state.module.css';

/** A state that this page does not know yet, for a server may be newer. */
const UNKNOWN: Look = { glyph: '·', colour: 'var(--state-waiting)' };

export function SendStateMark({ state, count }: { readonly state: string; readonly count?: number }) {
  const text = useTexts();
  const look = Object.hasOwn(SEND_LOOKS, state) ? SEND_LOOKS[state as SendState] : UNKNOWN;
  const key = `send.${state}`;
  return (
    <Mark look={look} word={text.has(key) ? text(key) : state} {...(count !== undefined && { count })} />
  );
}

export function CampaignStateMark({
  campaign,
}: {
  readonly campaign: Pick<Campaign, 'state' | 'paused' | 'attention'>;
}) {
  const text = useTexts();
  const { state, paused, attention } = campaign;
  if (paused) return <Mark look={PAUSED} word={text('campaign.paused')} />;
  const key = `campaign.${state}`;
  const known = Object.hasOwn(CAMPAIGN_LOOKS, state) ? CAMPAIGN_LOOKS[state] : UNKNOWN;
  const look = state === 'completed' && attention !== null ? ENDED_BADLY : known;
  return <Mark look={look} word={text.has(key) ? text(key) : state} />;
}

export function Mark({
  look: { glyph, colour },
  word,
  count,
}: {
  readonly look: Look;
  readonly word: string;
  readonly count?: number;
}) {
  return (
    <span className={styles.mark} style={{ color: colour }}>
      <span className={styles.glyph} aria-hidden="true">
        {glyph}
      </span>
      <span>{word}</span>
      {count !== undefined && <Figure value={count} />}
    </span>
  );
}
