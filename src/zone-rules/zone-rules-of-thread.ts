// The zone rules of a worker thread. It chooses them as the process does, and reads them once.
import { loadZoneRules } from './load-zone-rules.js';
import type { ZoneRules } from './zone-rules.js';

let loaded: { readonly directory: string | undefined; readonly rules: ZoneRules } | undefined;

/** `directory`: TZDATA_DIR. */
export function zoneRulesOfThread(directory: string | undefined): ZoneRules {
  if (loaded === undefined || loaded.directory !== directory)
    loaded = { directory, rules: loadZoneRules({ directory }) };
  return loaded.rules;
}
