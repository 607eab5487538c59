// A consumer of the log of outcomes: announces to every process which campaigns and sends changed, a page as few changes. The
// announcements leave with the commit that moves the cursors, so none is lost while a process ends.
import type { Sql } from '../../../platform/database/database.js';
import { ATTENTION_STATES, type SendState } from '../../decide/lifecycle/send-state.js';
import { announce, type Change } from '../../store/change.store.js';
import type { LogAsk, LogConsumer, TakenPage } from '../log/log-reader.js';
import { addChange } from './merge-changes.js';
import { streamPage, type StreamRow } from './stream-page.store.js';

export class StreamOutcomes implements LogConsumer {
  readonly name = 'stream';

  async take(sql: Sql, ask: LogAsk): Promise<TakenPage> {
    const rows = await streamPage(sql, ask);
    const waiting = new Map<string, Change>();
    for (const row of rows) for (const change of changesOf(row)) addChange(waiting, change);
    await announce(sql, [...waiting.values()]);
    return { rows, isCut: false, done: rows.filter(({ position }) => position !== null).length };
  }
}

/** A send changes its campaign too: the list shows how many are in each state. */
function changesOf(row: StreamRow): Change[] {
  const { campaign, campaignId, serviceId, send, state, code, kind, occurrence } = row;
  if (campaign === null) return [];
  const change = (event: Change['event'], subject: string, data: Change['data']): Change => ({
    event,
    serviceId,
    subject,
    data: { serviceId, ...data },
  });
  const sends = { [state]: 1 };
  if (send !== null) {
    return [
      change('campaign', campaign, { campaign, campaignId, sends }),
      change('send', campaign, { campaign, campaignId, states: sends, sends: [send] }),
      ...(asksForAttention(state) ? [change('attention', serviceId, { campaigns: [campaign], sends })] : []),
    ];
  }
  if (kind?.startsWith('occurrence.') === true)
    return [change('campaign', campaign, { campaign, campaignId, occurrences: [occurrence] })];
  const ofCampaign = change('campaign', campaign, { campaign, campaignId, state, code, change: kind });
  // Why somebody should look at a campaign depends on its sends too: whoever reads it again sees (decide/lifecycle/attention.ts).
  return [ofCampaign, change('attention', serviceId, { campaigns: [campaign] })];
}

const asksForAttention = (state: string): boolean => ATTENTION_STATES.includes(state as SendState);
