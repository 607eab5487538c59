// The event by which a user's zone is said over Kafka (topic recipient.zones): its schema, and its reading.
import { z } from 'zod';
import { MAX_USER_ID_LENGTH } from '../../../push-contract/limits.js';
import { storableText } from '../../../platform/http/storable-text.js';
import type { EpochMs, ZoneRules } from '../../../zone-rules/zone-rules.js';
import { shown } from '../../decide/quote-value.js';
import type { SaidZone } from '../../store/recipient-zone.store.js';
import { EnvelopeData } from './campaign-event.js';
import { instantOf } from './given-times.js';
import { readEnvelope, type RawEvent } from './raw-event.js';
import { reason, type Reason } from './reason.js';
import { nearest } from '../../decide/nearest-name.js';
import { readValue } from './schema-reasons.js';

export const ZONE_TYPE = 'carillon.recipient.zone.v1';
/** Clocks of producers: what is further ahead would win over all that is said until then. */
const MAX_AHEAD_MS = 5 * 60_000;

export const ZoneData = z
  .strictObject({
    serviceId: storableText(128).min(1).describe('The push project'),
    userId: storableText(MAX_USER_ID_LENGTH).min(1).describe('The user'),
    zone: z.string().min(1).max(64).nullable().describe('The IANA zone of the user; null takes it away'),
  })
  .meta({
    id: 'RecipientZoneData',
    examples: [{ serviceId: 'shop-app', userId: 'user-1', zone: 'Asia/Seoul' }],
  });

/** The envelope of campaign events, without a campaign. */
const ZoneEnvelope = EnvelopeData.omit({ subject: true });
export const RecipientZoneEvent = ZoneEnvelope.extend({ type: z.literal(ZONE_TYPE), data: ZoneData }).meta({
  id: 'RecipientZoneEvent',
});

export type ReadZone =
  | { readonly kind: 'said'; readonly said: SaidZone; readonly source: string }
  | { readonly kind: 'refused'; readonly reasons: readonly Reason[] };

/** Every reason why it is none, or what it says. Which sources the project takes is not known here. */
export function readZoneEvent(raw: RawEvent, { now, rules }: { now: EpochMs; rules: ZoneRules }): ReadZone {
  if (raw.fault !== undefined) return refused([reason('', 'UNREADABLE', raw.fault)]);
  const { attributes, data, problems, usable } = readEnvelope(raw);
  if (!usable || problems.length > 0) return refused(problems);
  if (attributes['type'] !== ZONE_TYPE)
    return refused([
      reason('/type', 'UNKNOWN_TYPE', `taken here is ${ZONE_TYPE}, not ${shown(attributes['type'])}`),
    ]);
  const envelope = readValue(ZoneEnvelope, attributes, '');
  const read = readValue(ZoneData, data, '/data');
  if (envelope.data === undefined || read.data === undefined)
    return refused([...envelope.reasons, ...read.reasons]);
  const { serviceId, userId, zone } = read.data;
  const saidAt = instantOf(envelope.data.time);
  const reasons: Reason[] = [];
  if (Number.isNaN(saidAt)) reasons.push(reason('/time', 'NO_SUCH_TIME', 'is no time of the calendar'));
  else if (saidAt > now + MAX_AHEAD_MS)
    reasons.push(reason('/time', 'TIME_AHEAD', 'is more than five minutes ahead'));
  if (zone !== null && !rules.has(zone)) {
    const text = `${shown(zone)} is no IANA time zone${nearest(zone, rules.names())}`;
    reasons.push(reason('/data/zone', 'ZONE_UNKNOWN', text));
  }
  if (raw.key && raw.key.toString('utf8') !== `${serviceId}/${userId}`)
    reasons.push(reason('', 'KEY_MISMATCH', 'the key of the record must be serviceId/userId'));
  if (reasons.length > 0) return refused(reasons);
  return { kind: 'said', said: { serviceId, userId, zone, saidAt }, source: envelope.data.source };
}

function refused(reasons: readonly Reason[]): ReadZone {
  return { kind: 'refused', reasons };
}
