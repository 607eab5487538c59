// What the management API answers, as schemas for its OpenAPI document and whoever checks answers against it. Each is
// held to the type a controller returns by the compiler; nothing is parsed with them on the way of a request.
import type { ScheduleView } from '../gateway/answers.js';
import { z } from 'zod';
import { DEVICE_TYPES } from '../../push-contract/statuses.js';
import type { ZoneRulesView } from '../../zone-rules/load-zone-rules.js';
import type { IssuedKey } from './access-keys.js';
import { ANSWERS as OF_INTERFACE } from '../gateway/answers.js';
import { FaultRequest, type Fault } from './faults.js';
import type {
  AccessKeyRow,
  ApiKeyRow,
  DeliveryRow,
  ServiceRow,
  TakenMessageRow,
} from './management.store.js';

/** As JSON: an instant is its text in UTC. */
type Wire<Row> = { readonly [Name in keyof Row]: Row[Name] extends Date ? string : Row[Name] };

const instant = z.iso.datetime();
const count = z.int().min(0);
const limit = z.int().min(1).nullable();

const Service: z.ZodType<Wire<ServiceRow>> = z.strictObject({
  serviceId: z.string(),
  accountId: z.string(),
  description: z.string().nullable(),
  zone: z.string(),
  answerTimes: z.enum(['local', 'offset']),
  apiKeyRequired: z.boolean(),
  strictOptions: z.boolean(),
  suspended: z.boolean(),
  ratePerSecond: limit,
  rateBurst: limit,
  quotaPerDay: count.nullable(),
  createdAt: instant,
  updatedAt: instant,
});

const Issued: z.ZodType<IssuedKey> = z.strictObject({ accessKey: z.string(), secretKey: z.string() });

const AccessKey: z.ZodType<Wire<AccessKeyRow>> = z.strictObject({
  accessKey: z.string(),
  accountId: z.string(),
  enabled: z.boolean(),
  createdAt: instant,
});

const slot = z.enum(['primary', 'secondary']);
const ApiKey: z.ZodType<Wire<ApiKeyRow>> = z.strictObject({ slot, active: z.boolean(), createdAt: instant });

const OneFault: z.ZodType<Fault> = z.strictObject({
  id: z.int(),
  fault: FaultRequest,
  left: count.nullable(),
  struck: count,
});

const Delivery: z.ZodType<Omit<Wire<DeliveryRow>, 'body'> & { readonly payload: unknown }> = z.strictObject({
  occurrence: z.string(),
  userId: z.string().nullable(),
  deviceType: z.enum(DEVICE_TYPES),
  deviceToken: z.string().nullable(),
  country: z.string(),
  language: z.string(),
  timezone: z.int(),
  outcome: z.enum(['sent', 'failed']),
  reason: z.string().nullable(),
  handedAt: instant,
  headers: z.record(z.string(), z.string()),
  payload: z.record(z.string(), z.unknown()).nullable(),
});

const Taken: z.ZodType<TakenMessageRow> = z.strictObject({
  requestId: z.uuid(),
  kind: z.enum(['immediate', 'reserved', 'scheduled']),
  state: z.string(),
  targetCount: count,
  sentCount: count,
});

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
export const READY = z.strictObject({ ready: z.boolean(), checks: z.array(check), zoneRules });

const Schedule: z.ZodType<ScheduleView> = OF_INTERFACE.Schedule;
const SERVICE = '/v1/services/{serviceId}';

/** By method and path; what is answered without a body has none. */
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
  [`POST ${SERVICE}/schedules`, Schedule],
  [`GET ${SERVICE}/schedules`, z.array(Schedule)],
  [`GET ${SERVICE}/schedules/{scheduleCode}`, Schedule],
  [`PUT ${SERVICE}/schedules/{scheduleCode}`, Schedule],
  ['POST /v1/sandbox/faults', OneFault],
  ['GET /v1/sandbox/faults', z.array(OneFault)],
  ['GET /v1/sandbox/deliveries', z.array(Delivery)],
  ['GET /v1/sandbox/services/{serviceId}/messages', z.array(Taken)],
  ['GET /v1/sandbox/clock', Clock],
  ['PUT /v1/sandbox/clock', Clock],
  ['POST /v1/sandbox/services/{serviceId}/schedules/{scheduleCode}/fire', z.strictObject({ firings: count })],
]);
