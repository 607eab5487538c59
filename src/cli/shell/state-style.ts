// The colour of a state in a table: green where it went well, yellow where somebody may look, red where it went wrong. Pure.
import { CAMPAIGN_KINDS } from '../../scheduler/decide/lifecycle/campaign-state.js';
import { SEND_KINDS } from '../../scheduler/decide/lifecycle/send-state.js';
import type { Style } from './terminal.js';

type Kind =
  (typeof CAMPAIGN_KINDS)[keyof typeof CAMPAIGN_KINDS] | (typeof SEND_KINDS)[keyof typeof SEND_KINDS];

const OF_KIND: Partial<Record<Kind, Style>> = {
  sent: 'green',
  completed: 'green',
  running: 'green',
  uncertain: 'yellow',
  approval: 'yellow',
  paused: 'yellow',
  failed: 'red',
  'too-late': 'red',
  rejected: 'red',
};
/** States of rejections, alerts and projects. */
const OTHERS: Readonly<Record<string, Style>> = {
  open: 'yellow',
  warning: 'yellow',
  stopped: 'yellow',
  critical: 'red',
  blocked: 'red',
};

const KINDS: Readonly<Record<string, Kind>> = { ...CAMPAIGN_KINDS, ...SEND_KINDS };

/** Undefined: it is shown as other text. */
export function styleOfState(state: string): Style | undefined {
  const kind = KINDS[state];
  return (kind && OF_KIND[kind]) ?? OTHERS[state];
}
