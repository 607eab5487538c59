// Bytes → a CampaignEvent, or every reason why not: the whole judgement that needs no database. Pure: the clock's
// reading and the zone rules are handed in.
import { createHash } from 'node:crypto';
import canonicalizeModule from 'canonicalize';
import type { EpochMs, ZoneRules } from '../../../zone-rules/zone-rules.js';
import {
  CommandData,
  EnvelopeData,
  EVENT_TYPES,
  INSTANT,
  MAX_EVENT_BYTES,
  ScheduledData,
  type CampaignEvent,
  type EventKind,
} from './campaign-event.js';
import { checkScheduled } from './check-meaning.js';
import { instantOf, noSuchTime } from './given-times.js';
import { typeNotOffered } from './not-yet-offered.js';
import { sizeOf, type RawEvent } from './raw-event.js';
import { isObject, readEnvelope } from './read-envelope.js';
import { decodeUtf8 } from './read-json.js';
import { MAX_REASONS, reason, shown, storable, type Reason } from './reason.js';
import { nearest, schemaReasons } from './schema-reasons.js';

/** The envelope as far as it could be read, for the row of the event; texts are storable and cut. */
export interface SeenEnvelope {
  readonly source: string | null;
  readonly id: string | null;
  readonly type: string | null;
  readonly subject: string | null;
  readonly serviceId: string | null;
  readonly time: EpochMs | null;
}

export type ParsedEvent = { readonly seen: SeenEnvelope } & (
  | { readonly kind: 'event'; readonly event: CampaignEvent }
  | { readonly kind: 'rejection'; readonly reasons: readonly Reason[] }
);

export interface ParseContext {
  readonly now: EpochMs;
  readonly rules: ZoneRules;
}

/** An event is known by its key for this long; an older one could be taken twice. */
const MAX_AGE_MS = 30 * 86_400_000;
const MAX_AHEAD_MS = 5 * 60_000;
const MAX_SEEN_LENGTH = 255;

export function parseEvent(raw: RawEvent, context: ParseContext): ParsedEvent {
  const size = sizeOf(raw);
  if (size > MAX_EVENT_BYTES) {
    const text = `the event has ${size} bytes of at most ${MAX_EVENT_BYTES}`;
    return { kind: 'rejection', seen: NOTHING_SEEN, reasons: [reason('', 'TOO_LARGE', text)] };
  }
  const { attributes, data, problems, unreadable } = readEnvelope(raw);
  const seen = seenIn(attributes, data);
  const reasons = [...problems];
  if (!unreadable) {
    reasons.push(
      ...schemaReasons(EnvelopeData, attributes, ''),
      ...checkTime(attributes['time'], seen.time, context.now),
      ...checkKey(raw.key, attributes['subject'], seen.serviceId),
      ...checkData(attributes['type'], data, context.rules),
    );
  }
  const event = reasons.length === 0 ? eventFrom(attributes, data) : undefined;
  if (event !== undefined) return { kind: 'event', seen, event };
  return { kind: 'rejection', seen, reasons: reasons.slice(0, MAX_REASONS) };
}

/** RFC 8785. The package exports the function itself, its types say that it is the member `default`. */
const canonicalize = canonicalizeModule as unknown as (value: unknown) => string | undefined;

export const NOTHING_SEEN: SeenEnvelope = {
  source: null,
  id: null,
  type: null,
  subject: null,
  serviceId: null,
  time: null,
};

function seenIn(attributes: Readonly<Record<string, unknown>>, data: unknown): SeenEnvelope {
  const text = (value: unknown): string | null =>
    typeof value === 'string' ? storable(value.slice(0, MAX_SEEN_LENGTH)) : null;
  const time = typeof attributes['time'] === 'string' ? instantOf(attributes['time']) : Number.NaN;
  return {
    source: text(attributes['source']),
    id: text(attributes['id']),
    type: text(attributes['type']),
    subject: text(attributes['subject']),
    serviceId: isObject(data) ? text(data['serviceId']) : null,
    time: Number.isNaN(time) ? null : time,
  };
}

/** What is no text of an instant, the schema has told. */
function checkTime(text: unknown, time: EpochMs | null, now: EpochMs): Reason[] {
  if (time === null) {
    return typeof text === 'string' && INSTANT.test(text) ? [noSuchTime('/time', text)] : [];
  }
  if (time < now - MAX_AGE_MS) return [reason('/time', 'TIME_TOO_OLD', 'is more than 30 days ago')];
  if (time > now + MAX_AHEAD_MS)
    return [reason('/time', 'TIME_AHEAD', 'is more than 5 minutes ahead of our clock')];
  return [];
}

/** Order holds only within a partition, and the key chooses it. A record without one is taken: its order is its own. */
function checkKey(key: Buffer | null | undefined, subject: unknown, serviceId: string | null): Reason[] {
  if (key === null || key === undefined || typeof subject !== 'string' || serviceId === null) return [];
  const due = `${serviceId}/${subject}`;
  if (decodeUtf8(key) === due) return [];
  return [reason('', 'KEY_MISMATCH', `the record's key must be ${shown(due)}`)];
}

function kindOf(type: unknown): EventKind | undefined {
  const kinds = Object.keys(EVENT_TYPES) as EventKind[];
  return kinds.find((kind) => EVENT_TYPES[kind] === type);
}

function checkData(type: unknown, data: unknown, rules: ZoneRules): Reason[] {
  if (typeof type !== 'string') return [];
  const kind = kindOf(type);
  if (kind === undefined) {
    const known = nearest(type, Object.values(EVENT_TYPES));
    return [reason('/type', 'UNKNOWN_TYPE', `${shown(type)} is no type of event taken here${known}`)];
  }
  if (data === undefined) return [reason('/data', 'REQUIRED', 'is required')];
  if (!isObject(data)) return [reason('/data', 'WRONG_TYPE', 'must be a JSON object')];
  if (kind === 'scheduled') return checkScheduled(data, rules);
  return [...typeNotOffered(kind), ...schemaReasons(CommandData, data, '/data')];
}

/** Only for what had no reason against it. */
function eventFrom(attributes: Readonly<Record<string, unknown>>, data: unknown): CampaignEvent | undefined {
  const envelope = EnvelopeData.parse(attributes);
  const kind = kindOf(envelope.type);
  if (kind === undefined) return undefined;
  const common = {
    source: envelope.source,
    id: envelope.id,
    type: envelope.type,
    campaignId: envelope.subject,
    time: instantOf(envelope.time),
    contentHash: contentHash(envelope.type, envelope.subject, data),
  };
  if (kind === 'scheduled') return { ...common, kind, data: ScheduledData.parse(data) };
  return { ...common, kind, data: CommandData.parse(data) };
}

/** SHA-256 over type, subject and the RFC 8785 JSON of data; the line feeds keep the three apart. */
export function contentHash(type: string, subject: string, data: unknown): Buffer {
  return createHash('sha256')
    .update(`${type}\n${subject}\n${canonicalize(data) ?? ''}`)
    .digest();
}
