// Judges an event before it is sent, by the very code that the scheduler's intake runs, so with the same codes and texts.
// What only a database knows (does the project take the source, is the campaign there) is left to the intake.
import { parseEvent } from '../../../src/scheduler/accept/parse/parse-event.js';
import { shippedZoneNames } from '../../../src/zone-rules/iana-data.js';
import type { ZoneRules } from '../../../src/zone-rules/zone-rules.js';
import type { CampaignEvent } from './campaign-events.js';
import type { Reason } from './contract.js';

/** Every reason why the intake would refuse the event; empty where it would not, as far as the event alone can tell. */
export function checkEvent(event: CampaignEvent, now = new Date()): Reason[] {
  return checkText(JSON.stringify(event), now);
}

export function checkText(text: string, now: Date): Reason[] {
  const headers = { 'content-type': 'application/cloudevents+json' };
  const raw = { via: 'http', headers, body: Buffer.from(text) } as const;
  const parsed = parseEvent(raw, { now: now.getTime(), rules });
  return parsed.kind === 'rejection' ? [...parsed.reasons] : [];
}

let known: ReadonlySet<string> | undefined;

function zoneNames(): ReadonlySet<string> {
  // A zone that either list has passes the check: only the scheduler can say which zones it knows.
  known ??= new Set([...Intl.supportedValuesOf('timeZone'), ...shippedZoneNames()]);
  return known;
}

/** Names alone: the offsets of a zone play no part in judging an event. */
const rules: ZoneRules = {
  source: 'names alone',
  version: 'unknown',
  has: (zone) => zoneNames().has(zone),
  names: () => [...zoneNames()],
  table: () => undefined,
  zonesOfCountry: () => [],
};
