// Reads a campaign for a dry run by the rules of acceptance. Never keeps anything.
import type { CampaignDraft, DraftReader } from '../decide/plan/campaign-draft.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import { ScheduledData } from './parse/campaign-event.js';
import { readDraft } from './parse/read-draft.js';
import type { Reason } from './parse/reason.js';
import { campaignOf } from './parse/to-campaign.js';

interface Projects {
  get(serviceId: string): Promise<{ readonly policyDefaults: unknown } | undefined>;
}

export class AcceptedDrafts implements DraftReader {
  constructor(
    private readonly rules: ZoneRules,
    private readonly projects: Projects,
  ) {}

  async read(bytes: Uint8Array, holds: (serviceId: string) => boolean): Promise<CampaignDraft> {
    const { reasons, isEvent, campaignId, data: given } = readDraft(bytes, this.rules);
    if (reasons.length > 0) return rejected(reasons, isEvent);
    const data = ScheduledData.parse(given);
    const project = holds(data.serviceId) ? await this.projects.get(data.serviceId) : undefined;
    if (project === undefined) return { kind: 'unknown-service' };
    const campaign = campaignOf(campaignId, data, project.policyDefaults);
    return Array.isArray(campaign) ? rejected(campaign, isEvent) : { kind: 'campaign', campaign };
  }
}

/** Pointers of reasons are into an event; of data that came alone, into that. */
function rejected(reasons: readonly Reason[], isEvent: boolean): CampaignDraft {
  const pointerOf = ({ pointer }: Reason): string =>
    isEvent ? pointer : pointer.replace(/^\/data(?=\/|$)/, '');
  return { kind: 'rejected', reasons: reasons.map((one) => ({ ...one, pointer: pointerOf(one) })) };
}
