// The contract with publishers as schemas: the CloudEvents envelope and the data of each type, shapes only
// (campaign-events.md, "Transport and envelope"). The one source of every field; what fields mean together is judged in
// check-meaning.ts.
import { z } from 'zod';
import { COUNTRY, LANGUAGE, MAX_USER_ID_LENGTH, SCHEDULE_CODE } from '../../../push-contract/limits.js';
import { DEVICE_TYPES, MESSAGE_TYPES, TARGET_TYPES } from '../../../push-contract/statuses.js';
import { textOfAtMost } from '../../../platform/text-length.js';
import { TRACEPARENT_EXAMPLE } from '../../../platform/tracing/trace-context.js';
import { RULE_EXAMPLE } from '../../decide/recurrence/recurrence-rule.js';
import { PolicyData } from '../../store/policy-data.js';

export const EVENT_TYPES = {
  scheduled: 'carillon.campaign.scheduled.v1',
  canceled: 'carillon.campaign.canceled.v1',
  paused: 'carillon.campaign.paused.v1',
  resumed: 'carillon.campaign.resumed.v1',
} as const;
export type EventKind = keyof typeof EVENT_TYPES;
export const EVENT_KINDS = Object.keys(EVENT_TYPES) as readonly EventKind[];

/** Bytes of one event, headers of the binary form included. */
export const MAX_EVENT_BYTES = 1024 * 1024;
/** Ids in `to`, over the audience and all segments. */
export const MAX_TO = 50_000;
/** planning.md §1: the names of a CHANNEL audience are never chunked. */
export const MAX_CHANNEL_TO = 1_000;

const CAMPAIGN_ID = /^[A-Za-z0-9._:-]{1,128}$/;
export const LIST_NAME = CAMPAIGN_ID;
/** RFC 3339 §5.6, offset included; its letters may be lower case. */
export const INSTANT =
  /^\d{4}-\d\d-\d\d[Tt]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?([Zz]|[+-]\d\d:\d\d)$/;
/** A wall time: no offset. */
export const WALL_TIME = /^\d{4}-\d\d-\d\d[Tt]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/;

/** Each `example` is published, and shown to a publisher who sends something else. */
const withExample = <Schema extends z.ZodType>(schema: Schema, example: unknown) =>
  schema.meta({ examples: [example] });
const text = (longest: number, example: string) => withExample(textOfAtMost(longest).min(1), example);
const formatted = (pattern: RegExp, says: string, example: string) =>
  withExample(z.string().regex(pattern, says), example);
/** An explicit null counts as absent. */
const optional = <Schema extends z.ZodType>(schema: Schema, description: string) =>
  schema.nullish().describe(description);

const instant = formatted(INSTANT, 'must be an instant with its offset', '2027-03-01T00:00:00Z');
const country = formatted(COUNTRY, 'must be an ISO 3166-1 alpha-2 code in upper case', 'KR');
const serviceId = text(128, 'shop-app').describe('The push project');

/** The CloudEvents 1.0 attributes that we read; further ones are kept with the bytes and ignored. */
export const EnvelopeData = z.looseObject({
  specversion: z.literal('1.0'),
  id: text(255, 'spring-sale-1').describe('With source and serviceId the idempotency key, for 30 days'),
  source: text(255, '/shop/promotions')
    .regex(/^[^\s<>"{}|\\^`]+$/, 'must be a URI reference')
    .describe('A URI reference; the project names the sources that it takes from Kafka'),
  type: text(255, EVENT_TYPES.scheduled).describe('One of the types below'),
  subject: formatted(
    CAMPAIGN_ID,
    'must be the campaignId: 1 to 128 of A–Z a–z 0–9 . _ : -',
    'spring-sale-2027',
  ).describe('The campaignId, unique within the serviceId: 1 to 128 of A–Z a–z 0–9 . _ : -'),
  time: instant.describe(
    'When the event was made, with its offset. Refused if it is more than 30 days ago or five minutes ahead, or not after the newest event taken for the campaign (SUPERSEDED); a stricter act may be up to a minute older. See Order of acts',
  ),
  datacontenttype: optional(
    formatted(/^[a-z]+\/([^;\s]+\+)?json\s*(;.*)?$/i, 'must be a JSON media type', 'application/json'),
    'A JSON media type',
  ),
  // Anything else in these two counts as absent: no event is refused for its trace (W3C Trace Context).
  traceparent: withExample(z.string(), TRACEPARENT_EXAMPLE)
    .optional()
    .catch(undefined)
    .describe(
      'The trace that the event belongs to, as in W3C Trace Context; an invalid one counts as none, with a warning',
    ),
  tracestate: withExample(z.string(), 'congo=t61rcWkgMzE')
    .optional()
    .catch(undefined)
    .describe('What tracing systems add to the trace; 512 characters are kept'),
});

export const AudienceData = z
  .strictObject({
    type: z.enum(TARGET_TYPES).describe('Everybody, the users of channels, or users'),
    to: optional(
      withExample(z.array(text(255, 'vip')).min(1).max(MAX_TO), ['vip']),
      `For CHANNEL the channel names, at most ${MAX_CHANNEL_TO}; for USER the user ids, each of at most ${MAX_USER_ID_LENGTH} characters, at most ${MAX_TO} over the audience and all segments`,
    ),
    list: optional(
      formatted(LIST_NAME, 'must be the name of a list: 1 to 128 of A–Z a–z 0–9 . _ : -', 'vip-2027'),
      'Of USER, in place of to: the name of an uploaded list (lists.md); it is the whole audience, without segments',
    ),
    country: optional(
      withExample(z.array(country).max(300), ['KR', 'US']),
      'Only devices registered for these countries: ISO 3166-1 alpha-2',
    ),
    deviceType: optional(z.enum(DEVICE_TYPES), 'Only devices of this type: GCM is Android and the web'),
  })
  .meta({ id: 'Audience', examples: [{ type: 'CHANNEL', to: ['vip'] }] });
export type AudienceData = z.output<typeof AudienceData>;

const content = withExample(z.string(), 'Our spring sale begins');
const I18nData = withExample(
  z.record(
    formatted(
      new RegExp(`^default$|${LANGUAGE.source}`),
      'must be default, an ISO 639-1 code in lower case such as ja, zh-Hans or zh-Hant',
      'ja',
    ),
    withExample(z.strictObject({ content }), { content: 'Our spring sale begins' }),
  ),
  { default: { content: 'Our spring sale begins' } },
);
/** The only members whose names are free. */
const freeMembers = (example: object) => withExample(z.record(z.string(), z.unknown()), example);
const ContentData = z
  .strictObject({
    content: optional(content, 'The text'),
    custom: optional(freeMembers({ page: 'sale' }), 'Handed to the app as it is; any members'),
    option: optional(
      freeMembers({ sound: 'default' }),
      'What the push service maps to FCM and APNs; any members',
    ),
    i18n: optional(I18nData, 'The text by language: default, an ISO 639-1 code, zh-Hans or zh-Hant'),
  })
  .meta({ id: 'Content', examples: [{ content: 'Our spring sale begins' }] });
const MessageData = z
  .strictObject({
    default: ContentData.describe('For every device'),
    gcm: optional(ContentData, 'Replaces default for GCM'),
    apns: optional(ContentData, 'Replaces default for APNS'),
    i18n: optional(I18nData, 'Texts by language for all device types'),
  })
  .meta({ id: 'Message', examples: [{ default: { content: 'Our spring sale begins' } }] });

const SegmentData = z
  .strictObject({
    zone: text(64, 'America/New_York').describe('An IANA zone'),
    audience: AudienceData.describe('Who lives there'),
  })
  .meta({ id: 'Segment', examples: [{ zone: 'America/New_York', audience: { type: 'ALL' } }] });
export const DeliveryData = z
  .strictObject({
    now: optional(z.literal(true), 'As soon as possible'),
    at: optional(
      withExample(
        z.string().refine((at) => INSTANT.test(at) || WALL_TIME.test(at), {
          error: 'must be an instant, such as 2027-03-01T00:00:00Z, or a wall time with a zone beside it',
          params: { code: 'WRONG_FORMAT' },
        }),
        '2027-03-01T09:00',
      ),
      'An instant with its offset or Z, or a wall time with a zone beside it',
    ),
    zone: optional(text(64, 'Asia/Seoul'), 'The clock that a wall time is on: an IANA zone, or recipient'),
    scheduleCode: optional(
      formatted(SCHEDULE_CODE, 'must be 1 to 64 of A–Z a–z 0–9 _ -', 'WEEKLY-NEWS'),
      'Attached to a schedule that the push service keeps',
    ),
    until: optional(instant, 'When a message attached to a schedule ends'),
    recurrence: optional(text(1_000, RULE_EXAMPLE), 'An RFC 5545 RRULE, on the wall clock of the zone'),
    segments: optional(
      withExample(z.array(SegmentData).min(1).max(10_000), [
        { zone: 'America/New_York', audience: { type: 'ALL' } },
      ]),
      'With zone recipient: the recipients whose zone the publisher knows',
    ),
  })
  .meta({ id: 'Delivery', examples: [{ at: '2027-03-01T09:00', zone: 'recipient' }] });
export type DeliveryData = z.output<typeof DeliveryData>;

export const ScheduledData = z
  .strictObject({
    serviceId,
    name: optional(text(255, 'Spring sale'), 'Shown to people'),
    tags: optional(withExample(z.array(text(64, 'sale')).max(50), ['sale']), 'Shown to people'),
    // Not specified: the push interface (push-interface.md §2.3) makes it optional with this default, so does the event.
    messageType: optional(z.enum(MESSAGE_TYPES), 'Notification or advertising [NOTIF]'),
    audience: optional(AudienceData, 'Who gets it; required, unless segments say who does'),
    message: MessageData.describe('What they get (push-interface.md, "2.4 Common message")'),
    delivery: DeliveryData.describe('When: exactly one of now, at and scheduleCode'),
    policy: optional(PolicyData, 'The rules of delivery: see policy'),
    planHash: optional(
      text(128, '3f'.repeat(32)),
      'Run exactly the plan that was previewed, or refuse (planning.md §9)',
    ),
  })
  .meta({
    id: 'ScheduledData',
    examples: [
      {
        serviceId: 'shop-app',
        name: 'Spring sale',
        messageType: 'AD',
        audience: { type: 'CHANNEL', to: ['vip'] },
        message: { default: { content: '(Ad) Our spring sale begins' } },
        delivery: { at: '2027-03-01T09:00', zone: 'recipient' },
        policy: { night: 'defer', passedZone: 'skip' },
      },
    ],
  });
export type ScheduledData = z.output<typeof ScheduledData>;

/** The data of canceled, paused and resumed. */
export const CommandData = z
  .strictObject({
    serviceId,
    occurrence: optional(text(64, '2027-03-01T09:00'), 'Only this occurrence of a recurrence'),
    reason: optional(text(1_000, 'the price is wrong'), 'Shown to people'),
  })
  .meta({ id: 'CommandData', examples: [{ serviceId: 'shop-app', reason: 'the price is wrong' }] });
export type CommandData = z.output<typeof CommandData>;

/** Whole events of the types that are taken, as they are published. */
export const ScheduledEvent = EnvelopeData.extend({
  type: z.literal(EVENT_TYPES.scheduled),
  data: ScheduledData,
}).meta({ id: 'ScheduledEvent' });
export const CanceledEvent = EnvelopeData.extend({
  type: z.literal(EVENT_TYPES.canceled),
  data: CommandData,
}).meta({ id: 'CanceledEvent' });
export const PausedEvent = EnvelopeData.extend({
  type: z.literal(EVENT_TYPES.paused),
  data: CommandData,
}).meta({ id: 'PausedEvent' });
export const ResumedEvent = EnvelopeData.extend({
  type: z.literal(EVENT_TYPES.resumed),
  data: CommandData,
}).meta({ id: 'ResumedEvent' });
