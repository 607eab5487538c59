// Which acts a campaign takes as it stands. An ended one takes none. What cannot be done now is shown with its reason. Pure.
import type { Act } from '../../api/acts.ts';
import type { WholeCampaign } from '../../api/campaigns.ts';
import type { TextKey } from '../../i18n/text.ts';

export interface PossibleAct {
  readonly act: Act;
  /** Why not now; undefined: it can be done. */
  readonly hindrance: TextKey | undefined;
}

const ENDED: readonly WholeCampaign['state'][] = ['completed', 'expired', 'canceled', 'rejected'];

export function possibleActs({
  state,
  paused,
}: Pick<WholeCampaign, 'state' | 'paused'>): readonly PossibleAct[] {
  if (ENDED.includes(state)) return [];
  const hindrance = state === 'canceling' ? 'act.canceling' : undefined;
  const stand: PossibleAct = { act: paused ? 'resume' : 'pause', hindrance };
  const end: PossibleAct = { act: 'cancel', hindrance };
  if (state !== 'awaiting-approval') return [stand, end];
  return [{ act: 'approve', hindrance: undefined }, { act: 'decline', hindrance: undefined }, end];
}
