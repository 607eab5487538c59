// The functions of the intake that a thread runs: the same pure functions that the event loop runs for small bodies.
import { zoneRulesOfThread } from '../../zone-rules/zone-rules-of-thread.js';
import { bodyElements, type BodyElements } from './parse/body-elements.js';
import { parseEvent, type ParsedEvent } from './parse/parse-event.js';
import type { RawEvent } from './parse/raw-event.js';
import { readDraft, type ReadDraft } from './parse/read-draft.js';

interface WithRules {
  /** TZDATA_DIR. */
  readonly tzdata: string | undefined;
}

export interface EventJob extends WithRules {
  /** Its bytes arrive as a Uint8Array. */
  readonly raw: Omit<RawEvent, 'caller'>;
  readonly now: number;
  readonly mostCells: number | undefined;
}

export interface DraftJob extends WithRules {
  readonly bytes: Uint8Array;
}

export function event({ raw, now, mostCells, tzdata }: EventJob): ParsedEvent {
  const { body, key } = raw;
  const whole = { ...raw, body: Buffer.from(body), ...(key && { key: Buffer.from(key) }) };
  return parseEvent(whole, { now, mostCells, rules: zoneRulesOfThread(tzdata) });
}

/** Leaves out the data as it came: the caller does not need it, and it would be copied between threads. */
export function draft({ bytes, tzdata }: DraftJob): ReadDraft {
  return { ...readDraft(bytes, zoneRulesOfThread(tzdata)), data: undefined };
}

export function elements(body: Uint8Array): BodyElements {
  return bodyElements(body);
}
