// Judges an event before it is sent, by the very code that the scheduler's intake runs, so with the same codes and words.
// What only a database knows (whether the project takes the source, whether the campaign is there) is left to the intake.
import { parseEvent } from '../../../src/scheduler/accept/parse/parse-event.js';
import { shippedZoneNames } from '../../../src/zone-rules/iana-data.js';
import type { ZoneRules } from '../../../src/zone-rules/zone-rules.js';
import type { CampaignEvent } from './campaign-events.js';
import type { Reason } from './contract.js';

const STRUCTURED = 'application/cloudevents+json';

/** Every reason why the intake would refuse it; empty where it would not, as far as the event alone can tell. */
export function checkEvent(event: CampaignEvent, now = new Date()): Reason[] {
  return checkText(JSON.stringify(event), now);
}

export function checkText(text: string, now: Date): Reason[] {
  const raw = { via: 'http', headers: { 'content-type': STRUCTURED }, body: Buffer.from(text) } as const;
  const parsed = parseEvent(raw, { now: now.getTime(), rules });
  return parsed.kind === 'rejection' ? [...parsed.reasons] : [];
}

let known: ReadonlySet<string> | undefined;

function zoneNames(): ReadonlySet<string> {
  // A zone that either knows is let pass: which of them the scheduler knows, it alone can say.
  known ??= new Set([...Intl.supportedValuesOf('timeZone'), ...shippedZoneNames()]);
  return known;
}

/** Names alone: no event is judged by a zone's offsets. */
const rules: ZoneRules = {
  source: 'names alone',
  version: 'unknown',
  has: (zone) => zoneNames().has(zone),
  names: () => [...zoneNames()],
  table: () => undefined,
  zonesOfCountry: () => [],
};
