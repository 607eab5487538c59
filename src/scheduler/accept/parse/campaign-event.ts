// The contract with publishers as schemas: the CloudEvents envelope and the data of each type, shapes only
// (campaign-events.md, "Transport and envelope"). The one source of every field; what fields mean together is judged in check-meaning.ts.
import { z } from 'zod';
import { COUNTRY, LANGUAGE, SCHEDULE_CODE } from '../../../push-contract/limits.js';
import { DEVICE_TYPES, MESSAGE_TYPES, TARGET_TYPES } from '../../../push-contract/statuses.js';
import { PolicyData } from '../../store/policy-data.js';

export const EVENT_TYPES = {
  scheduled: 'carillon.campaign.scheduled.v1',
  canceled: 'carillon.campaign.canceled.v1',
  paused: 'carillon.campaign.paused.v1',
  resumed: 'carillon.campaign.resumed.v1',
} as const;
export type EventKind = keyof typeof EVENT_TYPES;

/** Bytes of one event, headers of the binary form included. */
export const MAX_EVENT_BYTES = 1024 * 1024;
/** Ids in `to`, over the audience and all segments. */
export const MAX_TO = 50_000;
/** planning.md §1: the names of a CHANNEL audience are never chunked. */
export const MAX_CHANNEL_TO = 1_000;

const CAMPAIGN_ID = /^[A-Za-z0-9._:-]{1,128}$/;
/** RFC 3339, offset included. */
export const INSTANT = /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;
/** A wall time: no offset. */
export const WALL_TIME = /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/;

const text = (longest: number) => z.string().min(1).max(longest);
const formatted = (pattern: RegExp, says: string) => z.string().regex(pattern, says);
const instant = formatted(INSTANT, 'must be an instant with its offset, such as 2027-03-01T00:00:00Z');

/** The CloudEvents 1.0 attributes we read; further ones are kept with the bytes and ignored. */
export const EnvelopeData = z.looseObject({
  specversion: z.literal('1.0'),
  id: text(255),
  source: text(255).regex(/^[^\s<>"{}|\\^`]+$/, 'must be a URI reference'),
  type: text(255),
  subject: formatted(CAMPAIGN_ID, 'must be the campaignId: 1 to 128 of A–Z a–z 0–9 . _ : -'),
  time: instant,
  datacontenttype: formatted(/^[a-z]+\/([^;\s]+\+)?json\s*(;.*)?$/i, 'must be a JSON media type').nullish(),
});

export const AudienceData = z.strictObject({
  type: z.enum(TARGET_TYPES),
  /** USER ids or CHANNEL names. */
  to: z.array(text(255)).min(1).max(MAX_TO).nullish(),
  list: formatted(CAMPAIGN_ID, 'must be the name of a list').nullish(),
  country: z.array(formatted(COUNTRY, 'must be an ISO 3166-1 alpha-2 code in upper case')).max(300).nullish(),
  deviceType: z.enum(DEVICE_TYPES).nullish(),
});
export type AudienceData = z.output<typeof AudienceData>;

const I18nData = z.record(
  formatted(
    new RegExp(`^default$|${LANGUAGE.source}`),
    'must be default, an ISO 639-1 code, zh-Hans or zh-Hant',
  ),
  z.strictObject({ content: z.string() }),
);
/** The only members whose names are free. */
const freeMembers = z.record(z.string(), z.unknown());
const ContentData = z.strictObject({
  content: z.string().nullish(),
  custom: freeMembers.nullish(),
  option: freeMembers.nullish(),
  i18n: I18nData.nullish(),
});
export const MessageData = z.strictObject({
  default: ContentData,
  gcm: ContentData.nullish(),
  apns: ContentData.nullish(),
  i18n: I18nData.nullish(),
});

export const DeliveryData = z.strictObject({
  now: z.literal(true).nullish(),
  at: z
    .string()
    .refine((at) => INSTANT.test(at) || WALL_TIME.test(at), {
      error: 'must be a date and time, such as 2027-03-01T09:00 (with a zone) or 2027-03-01T00:00:00Z',
      params: { code: 'WRONG_FORMAT' },
    })
    .nullish(),
  zone: text(64).nullish(),
  scheduleCode: formatted(SCHEDULE_CODE, 'must be 1 to 64 of A–Z a–z 0–9 _ -').nullish(),
  until: instant.nullish(),
  recurrence: text(1_000).nullish(),
  segments: z
    .array(z.strictObject({ zone: text(64), audience: AudienceData }))
    .min(1)
    .max(10_000)
    .nullish(),
});
export type DeliveryData = z.output<typeof DeliveryData>;

/** An explicit null is absent for every optional member. */
export const ScheduledData = z.strictObject({
  serviceId: text(128),
  name: text(255).nullish(),
  tags: z.array(text(64)).max(50).nullish(),
  // Not specified: the push interface (push-interface.md §2.3) makes it optional with this default, so does the event.
  messageType: z.enum(MESSAGE_TYPES).nullish(),
  audience: AudienceData.nullish(),
  message: MessageData,
  delivery: DeliveryData,
  policy: PolicyData.nullish(),
  planHash: text(128).nullish(),
});
export type ScheduledData = z.output<typeof ScheduledData>;

/** Of canceled, paused and resumed. */
export const CommandData = z.strictObject({
  serviceId: text(128),
  occurrence: text(64).nullish(),
  reason: text(1_000).nullish(),
});
export type CommandData = z.output<typeof CommandData>;

/** A whole event that can be taken, as far as the event alone can tell. */
export type CampaignEvent = {
  readonly source: string;
  readonly id: string;
  readonly type: string;
  readonly campaignId: string;
  /** CloudEvents time, epoch milliseconds. */
  readonly time: number;
  readonly contentHash: Buffer;
} & (
  | { readonly kind: 'scheduled'; readonly data: ScheduledData }
  | { readonly kind: Exclude<EventKind, 'scheduled'>; readonly data: CommandData }
);
