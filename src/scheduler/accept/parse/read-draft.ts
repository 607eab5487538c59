// A draft: a campaign that nobody has published yet, given as a whole event or as its data alone. It is read by the rules of
// acceptance, so that it is rejected for the same reasons as the event. Its envelope is not judged.
import { mostListed } from '../../../platform/most-listed.js';
import type { ZoneRules } from '../../../zone-rules/zone-rules.js';
import type { ScheduledData } from './campaign-event.js';
import { checkScheduled } from './check-meaning.js';
import { isObject, readJson } from './read-json.js';
import { reason, type Reason } from './reason.js';

export interface ReadDraft {
  /** False: it is no JSON object; only `reasons` says more. */
  readonly isReadable: boolean;
  readonly isEvent: boolean;
  /** The type of an event, as it came. */
  readonly type: unknown;
  /** The subject of an event; `draft` where there is none. */
  readonly campaignId: string;
  /** Undefined where there are reasons. */
  readonly read: ScheduledData | undefined;
  /** As it came. */
  readonly data: unknown;
  /** Their pointers are into an event, also where the data came alone. */
  readonly reasons: readonly Reason[];
}

export function readDraft(bytes: Uint8Array, rules: ZoneRules): ReadDraft {
  const { value, problems, usable } = readJson(bytes, '');
  const isReadable = usable && isObject(value);
  const given = isReadable ? value : {};
  const isEvent = !isReadable || 'specversion' in given || 'data' in given;
  const { data, type, subject } = isEvent ? given : { data: given };
  const notRead = problems.length > 0 ? problems : [reason('', 'WRONG_TYPE', 'must be a JSON object')];
  const checked = isReadable ? checkScheduled(data, rules) : undefined;
  const reasons = checked === undefined ? notRead : mostListed([...problems, ...checked.reasons]);
  return {
    isReadable,
    isEvent,
    type,
    campaignId: typeof subject === 'string' ? subject : 'draft',
    read: reasons.length === 0 ? checked?.data : undefined,
    data,
    reasons,
  };
}
