// Judges an event before it is sent, by the same code as the scheduler's intake, so with the same codes and texts. The intake alone
// judges what only the database knows: whether the project takes the source, whether the campaign exists.
import { parseEvent } from '../../../src/scheduler/accept/parse/parse-event.js';
import { shippedZoneNames } from '../../../src/zone-rules/iana-data.js';
import type { ZoneRules } from '../../../src/zone-rules/zone-rules.js';
import type { CampaignEvent } from './campaign-events.js';
import type { Reason } from './contract.js';
import type { Published } from './published.js';

/** Every reason in the event itself why the intake would refuse it; empty where there is none. */
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

/** Only names: the judgement of an event needs no offsets of a zone. */
const rules: ZoneRules = {
  source: 'names alone',
  version: 'unknown',
  has: (zone) => zoneNames().has(zone),
  names: () => [...zoneNames()],
  table: () => undefined,
  zonesOfCountry: () => [],
};
