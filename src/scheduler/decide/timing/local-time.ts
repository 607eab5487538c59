// Wall time → instant by rule (planning.md §3). luxon chooses a side of an overlap by today's offset, and silently moves times out
// of a gap; this code never does. The answer does not depend on the present time.
import {
  formatDate,
  formatOffset,
  formatTime,
  splitLocal,
  weekdayOfDays,
  type LocalMs,
} from '../../../zone-rules/civil.js';
import type { EpochMs, ZoneOffsets } from '../../../zone-rules/zone-offsets.js';
import type { DstPolicy } from './campaign-policy.js';

export const LOCAL_VERDICTS = ['exact', 'moved-forward', 'first', 'second', 'skipped', 'rejected'] as const;
export type LocalVerdict = (typeof LOCAL_VERDICTS)[number];

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

export interface LocalReading {
  readonly weekday: (typeof WEEKDAYS)[number];
  /** `2027-03-01` */
  readonly date: string;
  /** `09:00`, with `:ss` unless the seconds are 0. */
  readonly time: string;
  /** `+09:00` */
  readonly offset: string;
}

interface ResolvedLocal {
  readonly verdict: LocalVerdict;
  /** If skipped or rejected: the instant that `forward` or `first` would have given, for display only. */
  readonly instant: EpochMs;
}

/** The instant of a wall time in a zone. Planning calls it many times. */
export function resolveLocal(local: LocalMs, table: ZoneOffsets, policy: DstPolicy): ResolvedLocal {
  const found = table.candidates(local);
  if (found.kind === 'unique') return { verdict: 'exact', instant: found.instant };
  if (found.kind === 'gap') return { verdict: GAP_VERDICTS[policy.gap], instant: found.forward };
  const instant = policy.overlap === 'second' ? found.second : found.first;
  return { verdict: OVERLAP_VERDICTS[policy.overlap], instant };
}

const GAP_VERDICTS = { forward: 'moved-forward', skip: 'skipped', reject: 'rejected' } as const;
const OVERLAP_VERDICTS = { first: 'first', second: 'second', reject: 'rejected' } as const;

/** The policy sends nothing at such a wall time. */
export function isLeftOut(verdict: LocalVerdict): boolean {
  return verdict === 'skipped' || verdict === 'rejected';
}

/** What a clock in the zone shows at an instant. */
export function readBack(instant: EpochMs, table: ZoneOffsets): LocalReading {
  const offsetMs = table.offsetAt(instant);
  const { days, msOfDay } = splitLocal(instant + offsetMs);
  return {
    weekday: WEEKDAYS[weekdayOfDays(days) - 1] ?? 'Mon',
    date: formatDate(days),
    time: formatTime(msOfDay),
    offset: formatOffset(offsetMs),
  };
}
