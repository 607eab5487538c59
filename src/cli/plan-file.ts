// What `carillon plan` is given: a file with a campaign event, or with its data alone. Judged by the schemas of the
// intake, so that what would be rejected there is told here; the envelope takes no part, a draft has none yet.
import { readFileSync } from 'node:fs';
import { EVENT_TYPES, ScheduledData } from '../scheduler/accept/campaign-event.js';
import { checkMeaning } from '../scheduler/accept/check-meaning.js';
import { isObject } from '../scheduler/accept/read-envelope.js';
import { readJson } from '../scheduler/accept/read-json.js';
import type { Reason } from '../scheduler/accept/reason.js';
import { schemaReasons } from '../scheduler/accept/schema-reasons.js';
import { toCampaign } from '../scheduler/accept/to-campaign.js';
import type { Campaign } from '../scheduler/decide/campaign.js';
import { policyDefaults } from '../scheduler/decide/policy.js';
import type { ZoneRules } from '../scheduler/decide/ports.js';
import { UsageError } from './usage-error.js';

export type PlanFile =
  /** `notes`: what keeps the intake from taking it today, though it can be planned. */
  | { readonly kind: 'campaign'; readonly campaign: Campaign; readonly notes: readonly Reason[] }
  | { readonly kind: 'rejected'; readonly reasons: readonly Reason[] };

/** Throws a UsageError when the file cannot be read or is no scheduled event. */
export function readPlanFile(path: string, rules: ZoneRules): PlanFile {
  const { value, problems, usable } = readJson(bytesOf(path), '');
  if (!usable || !isObject(value)) {
    const reasons = problems.length > 0 ? problems.map(({ text }) => text) : ['it holds no JSON object'];
    throw new UsageError(`${path} cannot be planned: ${reasons.join('; ')}`);
  }
  const isEvent = 'specversion' in value || 'data' in value;
  if (isEvent && value['type'] !== undefined && value['type'] !== EVENT_TYPES.scheduled) {
    throw new UsageError(
      `${path} is an event of type ${JSON.stringify(value['type'])}: only ${EVENT_TYPES.scheduled} has a plan`,
    );
  }
  const data = isEvent ? value['data'] : value;
  const subject = isEvent && typeof value['subject'] === 'string' ? value['subject'] : 'draft';
  const found = [
    ...problems,
    ...schemaReasons(ScheduledData, data, '/data'),
    ...(isObject(data) ? checkMeaning(data, rules) : []),
  ];
  const reasons = found.filter(({ code }) => code !== 'NOT_YET_OFFERED');
  if (reasons.length > 0) return { kind: 'rejected', reasons };
  const campaign = toCampaign(subject, ScheduledData.parse(data), policyDefaults);
  return { kind: 'campaign', campaign, notes: found };
}

function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'it cannot be read';
    throw new UsageError(`${path}: ${code === 'ENOENT' ? 'there is no such file' : code}`);
  }
}
