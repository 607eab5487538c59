// Judges an event before it is sent, by the very code that the scheduler's intake runs, so with the same codes and texts.
// What only a database knows (does the project take the source, is the campaign there) is left to the intake.
import { parseEvent } from '../../../src/scheduler/accept/parse/parse-event.js';
import { shippedZoneNames } from '../../../src/zone-rules/iana-data.js';
import type { ZoneRules } from '../../../src/zone-rules/zone-rules.js';
import type { CampaignEvent } from './campaign-events.js';
import type { Reason } from './contract.js';
import type { Published } from './published.js';

/** Every reason why the intake would refuse the event; empty where it would not, as far as the event alone can tell. */
export function checkEvent(event: CampaignEvent, now = new Date()): Reason[] {
  return checkText(JSON.stringify(event), now);
}

function checkText(text: string, now: Date): Reason[] {
  const headers = { 'content-type': 'application/cloudevents+json' };
  const raw = { via: 'http', headers, body: Buffer.from(text) } as const;
  const parsed = parseEvent(raw, { now: now.getTime(), rules });
  return parsed.kind === 'rejection' ? [...parsed.reasons] : [];
}

export interface Prepared {
  /** Its place among the given events. */
  readonly index: number;
  readonly event: CampaignEvent;
  readonly text: string;
  readonly bytes: number;
}

/** Events as the texts that are sent. `published` has a place for each event, filled where the check refused it. */
export function prepare(
  events: readonly CampaignEvent[],
  check: boolean,
): { right: Prepared[]; published: (Published | undefined)[] } {
  const right: Prepared[] = [];
  const published = events.map((event, index): Published | undefined => {
    const text = JSON.stringify(event);
    const problems = check ? checkText(text, new Date()) : [];
    if (problems.length > 0)
      return { event, verdict: 'rejected', refusedBy: 'check', rejectionId: null, problems };
    right.push({ index, event, text, bytes: Buffer.byteLength(text) });
    return undefined;
  });
  return { right, published };
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
