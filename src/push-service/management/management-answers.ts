// The answers of the management API, as schemas. The rows of its store get their types from them, and its OpenAPI document is
// made of them. Of these schemas, only the settings of a service also check requests.
import { z } from 'zod';
import { DEVICE_TYPES } from '../../push-contract/statuses.js';
import type { ZoneRulesView } from '../../zone-rules/load-zone-rules.js';
import { ANSWERS as INTERFACE_ANSWERS, type RowOf } from '../gateway/answers.js';
import { freeText } from '../gateway/fields.js';
import { FaultRequest, type Fault } from './faults.js';

/** The row from which an answer is made. It has dates where the answer has instants as texts. */
type AnsweredRow<Answer extends z.ZodType> = RowOf<z.output<Answer>, `${string}At`>;

const instant = z.iso.datetime();
const count = z.int().min(0);
const rate = z.int().min(1).max(1_000_000).nullable();

/** The settings of a service, in requests and in answers. */
export const serviceSettings = {
  description: freeText(1_000).nullable(),
  /** The zone of local date-times in answers: a name that the zone rules know. */
  zone: z.string(),
  answerTimes: z.enum(['local', 'offset']),
  apiKeyRequired: z.boolean(),
  strictOptions: z.boolean(),
  suspended: z.boolean(),
  /** Requests a second of each access key at this service; null: PUSH_DEFAULT_RATE. */
  ratePerSecond: rate,
  /** How many requests may come at once; null: as many as in a second. */
  rateBurst: rate,
  /** Requests of all keys together in a calendar day (UTC); null: no limit. */
  quotaPerDay: z.int().min(0).max(Number.MAX_SAFE_INTEGER).nullable(),
};
const Service = z.strictObject({
  serviceId: z.string(),
  accountId: z.string(),
  ...serviceSettings,
  createdAt: instant,
  updatedAt: instant,
});
export type ServiceRow = AnsweredRow<typeof Service>;

const Issued = z.strictObject({ accessKey: z.string(), secretKey: z.string() });
export type IssuedKey = z.output<typeof Issued>;

const AccessKey = z.strictObject({
  accessKey: z.string(),
  accountId: z.string(),
  enabled: z.boolean(),
  createdAt: instant,
});
export type AccessKeyRow = AnsweredRow<typeof AccessKey>;

const slot = z.enum(['primary', 'secondary']);
const ApiKey = z.strictObject({ slot, active: z.boolean(), createdAt: instant });
export type ApiKeyRow = AnsweredRow<typeof ApiKey>;

const Credential = z.strictObject({
  kind: z.enum(['fcm', 'apns']),
  /** Every change counts it up. */
  version: z.int().min(1),
  /** All members that are not secret. */
  settings: z.record(z.string(), z.string()),
  /** Why its provider refuses it, and since when; both are null while the provider does not. */
  fault: z.string().nullable(),
  faultAt: instant.nullable(),
  /** What an operator must change at the provider, although the credential is good. */
  warning: z.string().nullable(),
  warnedAt: instant.nullable(),
  /** When the first push under it was accepted. */
  provenAt: instant.nullable(),
  /** When the last check began. While it runs, the next two members are null. */
  checkedAt: instant.nullable(),
  checkGood: z.boolean().nullable(),
  checkSays: z.string().nullable(),
  createdAt: instant,
  updatedAt: instant,
});
export type CredentialRow = AnsweredRow<typeof Credential>;

const OneFault: z.ZodType<Fault> = z.strictObject({
  id: z.int(),
  fault: FaultRequest,
  left: count.nullable(),
  struck: count,
});

const Delivery = z.strictObject({
  occurrence: z.string(),
  userId: z.string().nullable(),
  deviceType: z.enum(DEVICE_TYPES),
  deviceToken: z.string().nullable(),
  country: z.string(),
  language: z.string(),
  timezone: z.int(),
  outcome: z.enum(['sent', 'failed', 'unknown']),
  reason: z.string().nullable(),
  handedAt: instant,
  headers: z.record(z.string(), z.string()),
  payload: z.record(z.string(), z.unknown()).nullable(),
});
/** `body` is the text for all devices of the type and language. The payload adds the device's token. */
export type DeliveryRow = Omit<AnsweredRow<typeof Delivery>, 'payload'> & { readonly body: string | null };

const Taken = z.strictObject({
  requestId: z.uuid(),
  kind: z.enum(['immediate', 'reserved', 'scheduled']),
  state: z.string(),
  targetCount: count,
  sentCount: count,
});
export type TakenMessageRow = AnsweredRow<typeof Taken>;

const TakenMessage = z.strictObject({
  requestId: z.uuid(),
  requestedAt: instant,
  kind: z.enum(['immediate', 'reserved', 'scheduled']),
  state: z.string(),
  /** When it goes out; null for a scheduled message. */
  fireAt: instant.nullable(),
  /** Its Idempotency-Key. */
  key: z.string().nullable(),
  /** The access key that signed. */
  accessKey: z.string().nullable(),
  targetType: z.string(),
  /** How many names the target has; null for ALL. */
  targetSize: count.nullable(),
  /** The first 80 characters of the common text. */
  text: z.string().nullable(),
  targetCount: count,
  sentCount: count,
});
const MessagePage = z.strictObject({
  items: z.array(TakenMessage),
  /** Where the next page begins (`before`); null: this is the last. */
  nextBefore: z.uuid().nullable(),
});
export type MessagePage = z.output<typeof MessagePage>;

/** With the request as it is kept. */
const WholeMessage = TakenMessage.extend({ request: z.record(z.string(), z.unknown()) });
export type WholeMessage = z.output<typeof WholeMessage>;

const KnownUser = z.strictObject({
  userId: z.string(),
  country: z.string().nullable(),
  language: z.string().nullable(),
  /** Registered offset, seconds. */
  timezone: z.number().nullable(),
  /** The channel that the user joined last. */
  channelName: z.string().nullable(),
  consents: z.strictObject({ notification: z.boolean(), ad: z.boolean(), nightAd: z.boolean() }),
  createdAt: instant,
  updatedAt: instant,
  /** Active ones, oldest first; of each token only its end. */
  devices: z.array(z.strictObject({ deviceType: z.string(), tokenEnd: z.string() })),
});
export type KnownUser = z.output<typeof KnownUser>;

const totals = z.strictObject({
  messages: count,
  /** Devices: sent + failed + unknown + pending. */
  target: count,
  sent: count,
  failed: count,
  unknown: count,
  pending: count,
});
const ServiceTotals = z.strictObject({
  asOf: instant,
  days: z.array(
    z.strictObject({
      /** A day in UTC. */
      day: z.iso.date(),
      /** False: some messages of the day may be deleted (PUSH_MESSAGE_RETENTION_DAYS). */
      whole: z.boolean(),
      /** The counts of all messages that were taken on that day. */
      total: totals,
      /** The counts of messages whose result does not change any more. */
      final: totals,
      /** The counts of the other messages. */
      open: totals,
    }),
  ),
});
export type ServiceTotals = z.output<typeof ServiceTotals>;

const Clock = z.strictObject({ mode: z.enum(['real', 'frozen', 'ahead']), now: instant });

const check = z.strictObject({
  name: z.string(),
  ok: z.boolean(),
  note: z.literal(true).exactOptional(),
  text: z.string(),
});
const zoneRules: z.ZodType<ZoneRulesView> = z.strictObject({
  version: z.string(),
  source: z.string(),
  yearsBehind: count.nullable(),
});
/** The checks and the zone rules are there only for a caller with the token. */
export const READY = z.strictObject({
  ready: z.boolean(),
  checks: z.array(check).exactOptional(),
  zoneRules: zoneRules.exactOptional(),
});

const { Schedule } = INTERFACE_ANSWERS;
const SERVICE = '/v1/services/{serviceId}';

/** Answers by method and path. An operation whose answer has no body is left out. */
export const MANAGEMENT_ANSWERS: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ['GET /health/live', z.strictObject({ status: z.literal('up') })],
  ['GET /health/ready', READY],
  ['GET /openapi/push.json', z.looseObject({ openapi: z.string() })],
  ['GET /openapi/management.json', z.looseObject({ openapi: z.string() })],
  ['POST /v1/services', z.strictObject({ service: Service, key: Issued.nullable() })],
  ['GET /v1/services', z.array(Service)],
  [`GET ${SERVICE}`, Service],
  [`PATCH ${SERVICE}`, Service],
  ['POST /v1/accounts/{accountId}/access-keys', Issued],
  ['GET /v1/accounts/{accountId}/access-keys', z.array(AccessKey)],
  ['PATCH /v1/access-keys/{accessKey}', AccessKey],
  [`GET ${SERVICE}/api-keys`, z.array(ApiKey)],
  [`PUT ${SERVICE}/api-keys/{slot}`, z.strictObject({ slot, apiKey: z.string() })],
  [`PATCH ${SERVICE}/api-keys/{slot}`, ApiKey],
  [`GET ${SERVICE}/credentials`, z.array(Credential)],
  [`PUT ${SERVICE}/credentials/fcm`, Credential],
  [`PUT ${SERVICE}/credentials/apns`, Credential],
  [`POST ${SERVICE}/credentials/{kind}/check`, Credential],
  [`POST ${SERVICE}/schedules`, Schedule],
  [`GET ${SERVICE}/schedules`, z.array(Schedule)],
  [`GET ${SERVICE}/schedules/{scheduleCode}`, Schedule],
  [`PUT ${SERVICE}/schedules/{scheduleCode}`, Schedule],
  [`GET ${SERVICE}/totals`, ServiceTotals],
  [`GET ${SERVICE}/messages`, MessagePage],
  [`GET ${SERVICE}/messages/{requestId}`, WholeMessage],
  [`GET ${SERVICE}/users/{userId}`, KnownUser],
  ['POST /v1/sandbox/faults', OneFault],
  ['GET /v1/sandbox/faults', z.array(OneFault)],
  ['GET /v1/sandbox/deliveries', z.array(Delivery)],
  ['GET /v1/sandbox/services/{serviceId}/messages', z.array(Taken)],
  ['GET /v1/sandbox/clock', Clock],
  ['PUT /v1/sandbox/clock', Clock],
  ['POST /v1/sandbox/services/{serviceId}/schedules/{scheduleCode}/fire', z.strictObject({ firings: count })],
]);
