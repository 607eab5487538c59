// Reads a campaign for a dry run, by the rules of acceptance. Keeps nothing.
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import type { CampaignDraft, DraftCaller, DraftReader } from '../decide/plan/plan-ports.js';
import { findLists } from '../store/listed-audience.store.js';
import type { ProjectStore } from '../store/project.store.js';
import type { EventParser } from './event-parser.js';
import { listNamed, withListVersion } from './list-of-audience.js';
import type { Reason } from './parse/reason.js';
import { campaignOf } from './parse/to-campaign.js';

export class AcceptedDrafts implements DraftReader {
  constructor(
    private readonly parser: Pick<EventParser, 'draft'>,
    private readonly projects: Pick<ProjectStore, 'get'>,
    private readonly sql: Sql,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  async read(bytes: Uint8Array, { tokenId, holds, listVersion }: DraftCaller): Promise<CampaignDraft> {
    const { reasons, isEvent, campaignId, read: data } = await this.parser.draft(bytes, tokenId);
    if (data === undefined) return rejected(reasons, isEvent);
    const project = holds(data.serviceId) ? await this.projects.get(data.serviceId) : undefined;
    if (project === undefined) return { kind: 'unknown-service' };
    const meant = campaignOf(campaignId, data, project.policyDefaults);
    if (Array.isArray(meant)) return rejected(meant, isEvent);
    const [found] = await findLists(this.sql, listNamed(data.serviceId, data.audience));
    const campaign = withListVersion(meant, () => found, this.clock.now(), listVersion);
    return 'pointer' in campaign ? rejected([campaign], isEvent) : { kind: 'campaign', campaign };
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
