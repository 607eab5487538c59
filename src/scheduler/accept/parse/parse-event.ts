// Bytes → a CampaignEvent, or every reason why not: the whole judgement that needs no database. Pure: the clock's
// reading and the zone rules are handed in.
import { hash } from 'node:crypto';
import canonicalizeModule from 'canonicalize';
import { z } from 'zod';
import { mostListed } from '../../../platform/most-listed.js';
import { storable } from '../../../platform/http/storable-text.js';
import { decodeUtf8 } from '../../../platform/utf8.js';
import { lengthText } from '../../decide/timing/length-text.js';
import {
  readTraceContext,
  readTraceHeaders,
  TRACEPARENT,
  TRACESTATE,
  type TraceContext,
} from '../../../platform/tracing/trace-context.js';
import type { EpochMs, ZoneRules } from '../../../zone-rules/zone-rules.js';
import {
  CommandData,
  EnvelopeData,
  EVENT_KINDS,
  EVENT_TYPES,
  INSTANT,
  MAX_EVENT_BYTES,
  type EventKind,
  type ScheduledData,
} from './campaign-event.js';
import { checkScheduled } from './check-meaning.js';
import { instantOf, noSuchTime } from './given-times.js';
import { readEnvelope, sizeOf, type RawEvent } from './raw-event.js';
import { isObject } from './read-json.js';
import { shown } from '../../decide/quote-value.js';
import { MAX_PLANNED_CELLS, planSize, sizeRefusal } from '../../decide/plan/plan-size.js';
import { policyDefaults } from '../../decide/timing/campaign-policy.js';
import { reason, type Reason, type ReasonCode } from './reason.js';
import { nearest } from '../../decide/nearest-name.js';
import { readValue } from './schema-reasons.js';
import { toCampaign } from './to-campaign.js';

const seenText = z.string().nullable();
/** The envelope as far as it could be read, for the row of the event; texts are storable and cut, time in epoch milliseconds. */
export const SeenEnvelope = z.object({
  source: seenText,
  id: seenText,
  type: seenText,
  subject: seenText,
  serviceId: seenText,
  time: z.number().nullable(),
});
export type SeenEnvelope = z.output<typeof SeenEnvelope>;

/** A whole event that can be taken, as far as the event alone can tell. */
export type CampaignEvent = {
  readonly source: string;
  readonly id: string;
  readonly campaignId: string;
  /** CloudEvents time, epoch milliseconds. */
  readonly time: number;
  readonly contentHash: Buffer;
} & DataOfKind;

/** An event's data, by its type. */
type DataOfKind =
  | { readonly kind: 'scheduled'; readonly data: ScheduledData }
  | { readonly kind: Exclude<EventKind, 'scheduled'>; readonly data: CommandData };

export type ParsedEvent = {
  readonly seen: SeenEnvelope;
  /** The trace that the event belongs to; an invalid one counts as none. */
  readonly trace?: TraceContext | undefined;
  /** The value of an invalid traceparent attribute, as it is shown in the warning about it. */
  readonly invalidTraceparent?: string | undefined;
  /** The most cells that the campaign may have, as far as the event says. Given if it is to be planned. */
  readonly cells?: number | undefined;
} & (
  | { readonly kind: 'event'; readonly event: CampaignEvent }
  | { readonly kind: 'rejection'; readonly reasons: readonly Reason[] }
);

/** The key of an event is kept this long: an older event could be taken twice. */
const MAX_AGE_MS = 30 * 86_400_000;
const MAX_AHEAD_MS = 5 * 60_000;
const MAX_SEEN_LENGTH = 255;
const DATA_EXAMPLE = '{"serviceId":"shop-app",…}';

export const NOTHING_SEEN: SeenEnvelope = seenIn({}, undefined);

/** What an event is judged by. */
export interface ParseFacts {
  readonly now: EpochMs;
  readonly rules: ZoneRules;
  /** The most cells that are planned at once [50 000]. */
  readonly mostCells?: number | undefined;
}

export function parseEvent(raw: RawEvent, facts: ParseFacts): ParsedEvent {
  const { now } = facts;
  if (raw.fault !== undefined) return unseen('UNREADABLE', raw.fault);
  const size = sizeOf(raw);
  if (size > MAX_EVENT_BYTES) {
    const text = `an event has at most ${MAX_EVENT_BYTES} bytes, its headers included, not ${size}`;
    return unseen('TOO_LARGE', text);
  }
  const { attributes, data, problems, usable } = readEnvelope(raw);
  const seen = seenIn(attributes, data);
  const trace = traceIn(attributes, raw.headers);
  const rejection = (reasons: readonly Reason[]): ParsedEvent => ({
    kind: 'rejection',
    seen,
    trace,
    reasons: mostListed(reasons),
  });
  if (!usable) return rejection(problems);
  const envelope = readValue(EnvelopeData, attributes, '');
  const meant = readData(attributes['type'], data, facts);
  // Where the JSON itself is at fault, a schema's reason for the same place would say nothing new.
  const reported = new Set(problems.map(({ pointer }) => pointer));
  const further = [
    ...envelope.reasons,
    ...checkTime(attributes['time'], seen.time, now),
    ...checkKey(raw.key, attributes['subject'], data),
    ...meant.reasons,
  ].filter(({ pointer }) => !reported.has(pointer));
  const reasons = [...problems, ...further];
  const { time } = seen;
  if (reasons.length > 0 || envelope.data === undefined || meant.read === undefined || time === null)
    return rejection(reasons);
  const { source, id, type, subject } = envelope.data;
  const bytes = contentHash(type, subject, data);
  return {
    kind: 'event',
    seen,
    trace,
    invalidTraceparent: invalidIn(attributes),
    cells: meant.cells,
    event: { source, id, campaignId: subject, time, contentHash: bytes, ...meant.read },
  };
}

/** The CloudEvents Distributed Tracing extension. The attribute comes first, because the last hop may have set the headers. */
function traceIn(
  attributes: Readonly<Record<string, unknown>>,
  headers: RawEvent['headers'],
): TraceContext | undefined {
  return (
    readTraceContext(attributes[TRACEPARENT], attributes[TRACESTATE]) ??
    // Set by a producer that sends the structured form.
    readTraceContext(headers[`ce_${TRACEPARENT}`], headers[`ce_${TRACESTATE}`]) ??
    readTraceContext(headers[`ce-${TRACEPARENT}`], headers[`ce-${TRACESTATE}`]) ??
    readTraceHeaders(headers)
  );
}

/** Only the attribute gets a warning: others than the publisher may have set the headers. */
function invalidIn({ [TRACEPARENT]: given }: Readonly<Record<string, unknown>>): string | undefined {
  const isNone = given === undefined || given === null;
  return isNone || readTraceContext(given) !== undefined ? undefined : shown(given);
}

function unseen(code: ReasonCode, text: string): ParsedEvent {
  return { kind: 'rejection', seen: NOTHING_SEEN, reasons: [reason('', code, text)] };
}

function seenIn(attributes: Readonly<Record<string, unknown>>, data: unknown): SeenEnvelope {
  const textOf = (value: unknown): string | null =>
    typeof value === 'string' ? storable(value, MAX_SEEN_LENGTH) : null;
  const time = typeof attributes['time'] === 'string' ? instantOf(attributes['time']) : Number.NaN;
  return {
    source: textOf(attributes['source']),
    id: textOf(attributes['id']),
    type: textOf(attributes['type']),
    subject: textOf(attributes['subject']),
    serviceId: isObject(data) ? textOf(data['serviceId']) : null,
    time: Number.isNaN(time) ? null : time,
  };
}

/** The schema refuses a text that has not the form of an instant; this judges its date and its distance from `now`. */
function checkTime(given: unknown, time: EpochMs | null, now: EpochMs): Reason[] {
  if (time === null) {
    return typeof given === 'string' && INSTANT.test(given) ? [noSuchTime('/time', given)] : [];
  }
  if (time < now - MAX_AGE_MS) {
    const text = `${shown(given)} is ${lengthText(now - time)} ago: at most ${lengthText(MAX_AGE_MS)} are taken`;
    return [reason('/time', 'TIME_TOO_OLD', text)];
  }
  if (time > now + MAX_AHEAD_MS) {
    const text = `${shown(given)} is ${lengthText(time - now)} ahead of our clock: at most ${lengthText(MAX_AHEAD_MS)} are taken`;
    return [reason('/time', 'TIME_AHEAD', text)];
  }
  return [];
}

/** Order holds only within a partition, which the key chooses. A record without a key is taken: it asks for no order. */
function checkKey(key: Buffer | null | undefined, subject: unknown, data: unknown): Reason[] {
  const serviceId = isObject(data) ? data['serviceId'] : undefined;
  if (!key || typeof subject !== 'string' || typeof serviceId !== 'string') return [];
  const due = `${serviceId}/${subject}`;
  if (decodeUtf8(key) === due) return [];
  return [reason('', 'KEY_MISMATCH', `the record's key must be ${shown(due)}, or there is none`)];
}

const TYPES = Object.values(EVENT_TYPES);

function readData(
  type: unknown,
  data: unknown,
  facts: ParseFacts,
): { readonly read?: DataOfKind | undefined; readonly cells?: number; readonly reasons: readonly Reason[] } {
  if (typeof type !== 'string' || !EnvelopeData.shape.type.safeParse(type).success) return { reasons: [] };
  const kind = EVENT_KINDS.find((each) => EVENT_TYPES[each] === type);
  if (kind === undefined) {
    const text = `${shown(type)} is no type of event${nearest(type, TYPES)}; the types are ${TYPES.join(', ')}`;
    return { reasons: [reason('/type', 'UNKNOWN_TYPE', text)] };
  }
  if (data === undefined)
    return { reasons: [reason('/data', 'REQUIRED', `is required, such as ${DATA_EXAMPLE}`)] };
  if (!isObject(data)) {
    const text = `must be an object, such as ${DATA_EXAMPLE}, not ${shown(data)}`;
    return { reasons: [reason('/data', 'WRONG_TYPE', text)] };
  }
  if (kind === 'scheduled') {
    const { data: read, reasons } = checkScheduled(data, facts.rules);
    if (read === undefined) return { reasons };
    const { tooLarge, cells } = checkSize(read, facts);
    return tooLarge === undefined ? { read: { kind, data: read }, cells, reasons } : { reasons: [tooLarge] };
  }
  const command = readValue(CommandData, data, '/data');
  return { read: command.data && { kind, data: command.data }, reasons: command.reasons };
}

/** Judges the size by the campaign alone; planning also counts what its project and its audience add. */
function checkSize(
  data: ScheduledData,
  { now, rules, mostCells = MAX_PLANNED_CELLS }: ParseFacts,
): { readonly cells: number; readonly tooLarge: Reason | undefined } {
  const campaign = toCampaign('', data, policyDefaults);
  const size = planSize({ campaign, now, rules });
  const problem = sizeRefusal(size, campaign, mostCells);
  const tooLarge = problem && reason(`/data${problem.pointer}`, problem.code, problem.text);
  return { cells: size.cells, tooLarge };
}

/** RFC 8785. The package exports the function itself, but by its types the function is the member `default`. */
const canonicalize = canonicalizeModule as unknown as (value: unknown) => string | undefined;

/** SHA-256 over type, subject and the RFC 8785 JSON of data; the line feeds keep the three apart. */
function contentHash(type: string, subject: string, data: unknown): Buffer {
  return hash('sha256', `${type}\n${subject}\n${canonicalize(data) ?? ''}`, 'buffer');
}
