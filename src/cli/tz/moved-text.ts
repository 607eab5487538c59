// What other zone rules would move, in words and as JSON.
import { loadZoneRules } from '../../zone-rules/load-zone-rules.js';
import { TzifError } from '../../zone-rules/tzif.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import type { MovedTime } from '../../scheduler/decide/timing/moved-times.js';
import type { AskedTimeRow } from '../../scheduler/store/asked-time.store.js';
import { counted, utc } from '../shell/text-layout.js';
import { UsageError } from '../shell/usage-error.js';

/** Throws a UsageError that names the option, for a folder without zone files. */
export function rulesIn(directory: string, option: string): ZoneRules {
  try {
    return loadZoneRules({ directory });
  } catch (error) {
    if (error instanceof TzifError) throw new UsageError(`${option} ${directory}: ${error.message}`);
    throw error;
  }
}

export function movedLine({ asked, before, after }: MovedTime<AskedTimeRow>): string {
  const of = `${counted(asked.cells, 'cell')} of ${counted(asked.campaigns, 'campaign')}`;
  return `  ${asked.zone} ${asked.local}: ${shownInstant(before)} → ${shownInstant(after)}, ${of}`;
}

export function movedView({ asked, before, after }: MovedTime<AskedTimeRow>): object {
  const instant = (at: number | undefined): string | null =>
    at === undefined ? null : new Date(at).toISOString();
  return { ...asked, before: instant(before), after: instant(after) };
}

function shownInstant(at: number | undefined): string {
  return at === undefined ? 'no such zone' : utc(at);
}
