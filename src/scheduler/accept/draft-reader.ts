// Reads a campaign for a dry run, by the rules of acceptance. Keeps nothing.
import type { CampaignDraft, DraftReader } from '../decide/plan/plan-ports.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import type { ProjectStore } from '../store/project.store.js';
import { ScheduledData } from './parse/campaign-event.js';
import { readDraft } from './parse/read-draft.js';
import type { Reason } from './parse/reason.js';
import { campaignOf } from './parse/to-campaign.js';

export class AcceptedDrafts implements DraftReader {
  constructor(
    private readonly rules: ZoneRules,
    private readonly projects: Pick<ProjectStore, 'get'>,
  ) {}

  async read(bytes: Uint8Array, holds: (serviceId: string) => boolean): Promise<CampaignDraft> {
    const { reasons, isEvent, campaignId, data: asItCame } = readDraft(bytes, this.rules);
    if (reasons.length > 0) return rejected(reasons, isEvent);
    const data = ScheduledData.parse(asItCame);
    const project = holds(data.serviceId) ? await this.projects.get(data.serviceId) : undefined;
    if (project === undefined) return { kind: 'unknown-service' };
    const campaign = campaignOf(campaignId, data, project.policyDefaults);
    return Array.isArray(campaign) ? rejected(campaign, isEvent) : { kind: 'campaign', campaign };
  }
}

/** The pointers of `reasons` are into an event. Where the data came alone, they are made pointers into the data. */
function rejected(reasons: readonly Reason[], isEvent: boolean): CampaignDraft {
  if (isEvent) return { kind: 'rejected', reasons };
  const intoData = (pointer: string): string => pointer.replace(/^\/data(?=\/|$)/, '');
  return {
    kind: 'rejected',
    reasons: reasons.map((one) => ({ ...one, pointer: intoData(one.pointer) })),
  };
}
