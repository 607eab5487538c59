// Reads a campaign for a dry run by the rules of acceptance: what would be rejected as an event is rejected here, with
// the same reasons. Never keeps anything; the envelope takes no part, a draft has none yet.
import type { CampaignDraft, DraftReader } from '../decide/plan/campaign-draft.js';
import { policyDefaults, type Policy } from '../decide/timing/policy.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import { overlay, PolicyData } from '../store/policy-data.js';
import { ScheduledData } from './parse/campaign-event.js';
import { checkMeaning } from './parse/check-meaning.js';
import { policyNotOffered } from './parse/not-yet-offered.js';
import { isObject } from './parse/read-envelope.js';
import { readJson } from './parse/read-json.js';
import { reason, type Reason } from './parse/reason.js';
import { schemaReasons } from './parse/schema-reasons.js';
import { toCampaign } from './parse/to-campaign.js';

/** A campaignId for what has none. */
const DRAFT = 'draft';

export class AcceptedDrafts implements DraftReader {
  constructor(
    private readonly rules: ZoneRules,
    private readonly projects: {
      get(serviceId: string): Promise<{ readonly policyDefaults: unknown } | undefined>;
    },
  ) {}

  async read(bytes: Uint8Array, holds: (serviceId: string) => boolean): Promise<CampaignDraft> {
    const { value, problems, usable } = readJson(bytes, '');
    if (!usable || !isObject(value)) {
      return rejected(
        problems.length > 0 ? problems : [reason('', 'WRONG_TYPE', 'must be a JSON object')],
        true,
      );
    }
    const isEvent = 'specversion' in value || 'data' in value;
    const data = isEvent ? value['data'] : value;
    const reasons = [
      ...problems,
      ...schemaReasons(ScheduledData, data, '/data'),
      ...(isObject(data) ? checkMeaning(data, this.rules) : []),
    ];
    if (reasons.length > 0) return rejected(reasons, isEvent);
    const parsed = ScheduledData.parse(data);
    const project = holds(parsed.serviceId) ? await this.projects.get(parsed.serviceId) : undefined;
    if (project === undefined) return { kind: 'unknown-service' };
    const defaults = defaultsOf(project.policyDefaults);
    if (defaults === undefined) {
      const text = 'the policy_defaults of the push project are not valid; an admin must correct them';
      return rejected([reason('', 'POLICY_DEFAULTS_INVALID', text)], true);
    }
    const ofProject = policyNotOffered(overlay(defaults, parsed.policy ?? {}));
    if (ofProject.length > 0) return rejected(ofProject, isEvent);
    const subject = isEvent && typeof value['subject'] === 'string' ? value['subject'] : DRAFT;
    return { kind: 'campaign', campaign: toCampaign(subject, parsed, defaults) };
  }
}

function defaultsOf(given: unknown): Policy | undefined {
  const own = PolicyData.safeParse(given ?? {});
  return own.success ? overlay(policyDefaults, own.data) : undefined;
}

/** Pointers of reasons are into an event; of data that came alone, into that. */
function rejected(reasons: readonly Reason[], isEvent: boolean): CampaignDraft {
  const pointerOf = ({ pointer }: Reason): string =>
    isEvent ? pointer : pointer.replace(/^\/data(?=\/|$)/, '');
  return { kind: 'rejected', reasons: reasons.map((one) => ({ ...one, pointer: pointerOf(one) })) };
}
