// Reads the file given to `carillon plan`: a campaign event, or only its data.
import { readFileSync } from 'node:fs';
import { decodeUtf8, notUtf8Text } from '../../platform/utf8.js';
import { EVENT_TYPES, ScheduledData } from '../../scheduler/accept/parse/campaign-event.js';
import { readDraft } from '../../scheduler/accept/parse/read-draft.js';
import type { Reason } from '../../scheduler/accept/parse/reason.js';
import { toCampaign } from '../../scheduler/accept/parse/to-campaign.js';
import type { Campaign } from '../../scheduler/decide/plan/campaign.js';
import { policyDefaults } from '../../scheduler/decide/timing/campaign-policy.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import { placeholderHint } from '../shell/placeholders.js';
import { UsageError } from '../shell/usage-error.js';

type PlanFile =
  | { readonly kind: 'campaign'; readonly campaign: Campaign }
  | { readonly kind: 'rejected'; readonly reasons: readonly Reason[]; readonly hint: string | undefined };

/** Throws a UsageError where the file cannot be read or is not a scheduled event. */
export function readPlanFile(path: string, rules: ZoneRules): PlanFile {
  const bytes = bytesOf(path);
  if (decodeUtf8(bytes) === undefined) throw new UsageError(`${path} ${notUtf8Text(bytes)}`);
  const { isReadable, isEvent, type, campaignId, data, reasons } = readDraft(bytes, rules);
  if (!isReadable) {
    const why = reasons.map(({ text }) => withLine(text, bytes)).join('; ');
    throw new UsageError(`${path} cannot be planned: ${why}`);
  }
  if (isEvent && type !== undefined && type !== EVENT_TYPES.scheduled) {
    throw new UsageError(
      `${path} is an event of type ${JSON.stringify(type)}: only ${EVENT_TYPES.scheduled} has a plan`,
    );
  }
  if (reasons.length > 0) return { kind: 'rejected', reasons, hint: placeholderHint(data) };
  const campaign = toCampaign(campaignId, ScheduledData.parse(data), policyDefaults);
  return { kind: 'campaign', campaign };
}

/** Adds the line and column of a JSON error, as editors count them: only newer engines give them, each in other words. */
function withLine(text: string, bytes: Buffer): string {
  const [, position] = /at position (\d+)/.exec(text) ?? [];
  if (position === undefined) return text;
  const before = bytes.toString('utf8').slice(0, Number(position)).split('\n');
  const place = `(line ${before.length}, column ${(before.at(-1) ?? '').length + 1})`;
  return `${text.replace(/ \(line \d+ column \d+\)/, '')} ${place}`;
}

const FILE_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'it may not be read',
};

function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'it cannot be read';
    throw new UsageError(`${path}: ${FILE_FAULTS[code] ?? code}`);
  }
}
