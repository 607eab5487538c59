// A campaign that is no event yet, given as a whole event or as its data alone: read by the rules of acceptance, so that what
// would be rejected as an event is told with the same reasons. The envelope takes no part, a draft has none yet.
import type { ZoneRules } from '../../../zone-rules/zone-rules.js';
import { checkScheduled } from './check-meaning.js';
import { isObject } from './read-envelope.js';
import { readJson } from './read-json.js';
import { reason, type Reason } from './reason.js';

export interface ReadDraft {
  /** False: it is no JSON object, and nothing more is known of it. */
  readonly isReadable: boolean;
  readonly isEvent: boolean;
  /** That an event names, as it came. */
  readonly type: unknown;
  /** `draft` for what has none. */
  readonly campaignId: string;
  /** As it came; a ScheduledData where there are no reasons. */
  readonly data: unknown;
  /** Pointers into an event, whichever was given. */
  readonly reasons: readonly Reason[];
}

export function readDraft(bytes: Uint8Array, rules: ZoneRules): ReadDraft {
  const { value, problems, usable } = readJson(bytes, '');
  const isReadable = usable && isObject(value);
  const given = isReadable ? value : {};
  const isEvent = !isReadable || 'specversion' in given || 'data' in given;
  const { data, type, subject } = isEvent ? given : { data: given };
  const notRead = problems.length > 0 ? problems : [reason('', 'WRONG_TYPE', 'must be a JSON object')];
  return {
    isReadable,
    isEvent,
    type,
    campaignId: typeof subject === 'string' ? subject : 'draft',
    data,
    reasons: isReadable ? [...problems, ...checkScheduled(data, rules).reasons] : notRead,
  };
}
