// How a state looks: a glyph, the key of its word, and a colour. The three always stand together.
import type { CampaignState } from '../../api/campaigns.ts';
import type { SendState } from '../../api/sends.ts';

export interface Look {
  readonly glyph: string;
  /** Of tokens.css. */
  readonly colour: string;
}

const WAITING: Look = { glyph: '○', colour: 'var(--state-waiting)' };
const UNDER_WAY: Look = { glyph: '▶', colour: 'var(--state-under-way)' };
const KEPT = 'var(--state-kept)';
const SENT: Look = { glyph: '✓', colour: 'var(--state-sent)' };
const LEFT_OUT: Look = { glyph: '⊘', colour: 'var(--state-left-out)' };
const LATE: Look = { glyph: '⌛', colour: 'var(--state-late)' };
const FAILED: Look = { glyph: '✕', colour: 'var(--state-failed)' };

export const SEND_LOOKS: Readonly<Record<SendState, Look>> = {
  planned: WAITING,
  sending: UNDER_WAY,
  accepted: UNDER_WAY,
  canceling: UNDER_WAY,
  reserved: { glyph: '◷', colour: KEPT },
  scheduled: { glyph: '∞', colour: KEPT },
  held: { glyph: '‖', colour: KEPT },
  sent: SENT,
  empty: { glyph: '∅', colour: 'var(--state-nobody)' },
  skipped: LEFT_OUT,
  canceled: LEFT_OUT,
  superseded: LEFT_OUT,
  expired: LATE,
  uncertain: { glyph: '?', colour: 'var(--state-uncertain)' },
  failed: FAILED,
  stale: FAILED,
  rejected: FAILED,
};

export const CAMPAIGN_LOOKS: Readonly<Record<CampaignState, Look>> = {
  accepted: WAITING,
  planning: WAITING,
  'awaiting-approval': { glyph: '▷', colour: 'var(--state-late)' },
  planned: { glyph: '◷', colour: KEPT },
  running: UNDER_WAY,
  canceling: UNDER_WAY,
  completed: SENT,
  expired: LATE,
  canceled: LEFT_OUT,
  rejected: FAILED,
};

/** A campaign that is paused stands still, whatever else it is. */
export const PAUSED: Look = { glyph: '‖', colour: KEPT };
/** Ended, and somebody should look at it: the green of an end would be a lie. */
export const ENDED_BADLY: Look = { glyph: '✓', colour: 'var(--state-nobody)' };

/** A project, as its status and its own page name it. */
export const PROJECT_LOOKS = {
  running: SENT,
  stopped: PAUSED,
  blocked: FAILED,
  unreachable: FAILED,
  'in-trouble': LATE,
} as const satisfies Readonly<Record<string, Look>>;

/** An alert by its severity; one that has ended is well again. */
export const ALERT_LOOKS = {
  critical: FAILED,
  warning: { glyph: '⚠', colour: 'var(--state-late)' },
  note: WAITING,
  ended: SENT,
} as const satisfies Readonly<Record<string, Look>>;
