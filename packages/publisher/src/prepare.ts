// Events as the texts that are sent; those that the check refuses are kept apart.
import type { CampaignEvent } from './campaign-events.js';
import { checkText } from './check-event.js';
import type { Published } from './published.js';

export interface Prepared {
  /** Its place among the given events. */
  readonly index: number;
  readonly event: CampaignEvent;
  readonly text: string;
  readonly bytes: number;
}

/** `published` has a place for each event, filled where the check refused it. */
export function prepare(
  events: readonly CampaignEvent[],
  check: boolean,
): { right: Prepared[]; published: (Published | undefined)[] } {
  const right: Prepared[] = [];
  const published = events.map((event, index): Published | undefined => {
    const text = JSON.stringify(event);
    const problems = check ? checkText(text, new Date()) : [];
    if (problems.length > 0)
      return { event, verdict: 'rejected', refusedBy: 'check', rejectionId: null, problems };
    right.push({ index, event, text, bytes: Buffer.byteLength(text) });
    return undefined;
  });
  return { right, published };
}
