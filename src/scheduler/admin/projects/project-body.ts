// The settings of a push project that a caller may give: one schema for the API and the command line. Zones are checked against the
// zone rules of this process; addresses come only from here, never from events.
import { z } from 'zod';
import { Secret } from '../../../platform/env.js';
import { storableText } from '../../../platform/http/storable-text.js';
import { textOfAtMost } from '../../../platform/text-length.js';
import { EXTENSIONS } from '../../../push-contract/headers.js';
import type { ZoneRules } from '../../../zone-rules/zone-rules.js';
import type { FoundProblem } from '../../../platform/http/problem.js';
import { ADDRESS_REFUSED, type GatewayHosts } from '../../push-client/gateway-hosts.js';
import { isRejectionTopic } from '../../decide/rejection-topics.js';
import { floorZone, PolicyDefaultsData } from '../../store/policy-data.js';

export const serviceIdText = z
  .string()
  .regex(/^[\p{L}\p{N}:._-]{1,128}$/u, 'must be 1 to 128 letters, digits or : . _ -');

const secretText = z
  .string()
  .min(1)
  .max(1000)
  .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces')
  .transform((value) => new Secret(value));

const baseUrl = storableText(1000)
  .superRefine((value, faults) => {
    const url = /^https?:\/\//i.test(value) && URL.canParse(value) ? new URL(value) : undefined;
    if (url === undefined) faults.addIssue('must be an address like https://push.example.com');
    else if ([url.username, url.password, url.search, url.hash].some((part) => part !== ''))
      faults.addIssue('must have no user, query or fragment');
  })
  .transform((value) => value.replace(/\/+$/, ''));

export const source = storableText(500)
  .min(1)
  // A star anywhere else would look like a pattern but match nothing.
  .regex(/^[^*\s]+(\/\*)?$|^\/\*$/, 'must be a source, or a prefix that ends in /*');

/** The names that Kafka allows. */
const topic = z
  .string()
  .regex(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}$/, 'must be a topic: 1 to 249 of A–Z a–z 0–9 . _ -');

const zone = textOfAtMost(64).min(1);
const whole = (low: number, high: number) => z.number().int().min(low).max(high);
const DAY_MS = 86_400_000;

export const keyBody = z.strictObject({
  accessKey: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces'),
  secretKey: secretText,
});
export type KeyBody = z.output<typeof keyBody>;

/** Every setting is optional here; createProject asks for those without a default. */
const settings = {
  baseUrl,
  sources: z.array(source).max(100).optional(),
  /** null removes it. */
  rejectionsTopic: topic.nullable().optional(),
  defaultZone: zone.optional(),
  gatewayZone: zone.optional(),
  principalZones: z.record(z.string().regex(/^[A-Z]{2}$/, 'must be an ISO 3166-1 code'), zone).optional(),
  policyDefaults: PolicyDefaultsData.optional(),
  reservations: z.boolean().optional(),
  minReserveLeadMs: whole(0, DAY_MS).optional(),
  reserveHorizonMs: whole(60_000, 366 * DAY_MS).optional(),
  maxTo: whole(1, 10_000).optional(),
  lookupMax: whole(0, 1_000_000).optional(),
  ratePerSecond: whole(1, 100_000).optional(),
  inFlight: whole(1, 10_000).optional(),
  maxRetries: whole(0, 100).optional(),
  extensionsOff: z
    .array(z.enum(EXTENSIONS))
    .max(EXTENSIONS.length)
    .optional()
    .describe('Extensions that are not used even if the gateway offers them'),
  onUncertain: z.enum(['wait', 'resend']).optional(),
  weight: whole(1, 100).optional(),
  approval: z.enum(['none', 'required']).optional(),
  bounds: z
    .strictObject({
      weight: whole(1, 100).optional(),
      ratePerSecond: whole(1, 100_000).optional(),
      inFlight: whole(1, 10_000).optional(),
      sources: z.array(source).max(100).optional(),
    })
    .optional()
    .describe(
      'How far admins of the service may set these settings; only a token for all services may give bounds',
    ),
};

export const createProjectBody = z.strictObject({
  serviceId: serviceIdText,
  ...settings,
  key: keyBody.optional(),
  apiKey: secretText.optional(),
});
export type CreateProjectBody = z.output<typeof createProjectBody>;

export const patchProjectBody = z
  .strictObject({
    ...settings,
    baseUrl: baseUrl.optional(),
    /** null removes it. */
    apiKey: secretText.nullable().optional(),
  })
  .meta({ examples: [{ ratePerSecond: 50, sources: ['/shop/*'] }] });
export type PatchProjectBody = z.output<typeof patchProjectBody>;

/**
 * Why nothing may be sent to the address, whoever sets it. The address that a host name resolves to is judged when it is
 * connected to.
 */
export function refusedAddress(body: PatchProjectBody, hosts: GatewayHosts): FoundProblem[] {
  const text = body.baseUrl === undefined ? undefined : hosts.refusal(new URL(body.baseUrl).hostname);
  return text === undefined ? [] : [{ pointer: '/baseUrl', code: ADDRESS_REFUSED, text }];
}

/** On one of Carillon's own topics a rejection would be taken as an event again, or stand among the outcomes. */
export function refusedTopic(
  { rejectionsTopic }: PatchProjectBody,
  {
    topics,
    rejectionTopics,
  }: { readonly topics: readonly string[]; readonly rejectionTopics: readonly string[] },
): FoundProblem[] {
  if (typeof rejectionsTopic !== 'string') return [];
  const refused = (text: string) => [{ pointer: '/rejectionsTopic', code: 'INVALID_VALUE', text }];
  if (topics.includes(rejectionsTopic)) return refused("is one of Carillon's own topics");
  if (isRejectionTopic(rejectionsTopic, rejectionTopics)) return [];
  return refused(
    'is not among CARILLON_REJECTION_TOPICS, where the operator names the topics that may be written to',
  );
}

/** A problem for each zone that the rules do not have. */
export function unknownZones(body: PatchProjectBody, rules: ZoneRules): FoundProblem[] {
  const named: [pointer: string, zone: string | undefined][] = [
    ['/defaultZone', body.defaultZone],
    ['/gatewayZone', body.gatewayZone],
    ['/policyDefaults/passedZone', floorZone(body.policyDefaults ?? {})],
    ...Object.entries(body.principalZones ?? {}).map(([country, of]): [string, string] => [
      `/principalZones/${country}`,
      of,
    ]),
  ];
  return named.flatMap(([pointer, name]) =>
    name === undefined || rules.has(name)
      ? []
      : [{ pointer, code: 'UNKNOWN_ZONE', text: `no zone of that name in the tz database ${rules.version}` }],
  );
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** The body of a push request is not signed: without TLS anyone in between can read and change it. */
export function addressWarnings(address: string): string[] {
  const url = new URL(address);
  if (url.protocol === 'https:' || LOOPBACK.test(url.hostname)) return [];
  return ['baseUrl is not https: messages can be read and changed on the way'];
}

/** What an operator should know about a project; none of it keeps the project from working. */
export function projectWarnings(project: { baseUrl: string; sources: readonly string[] }): string[] {
  const text = 'it names no sources, so every event over Kafka is refused; only HTTP is left';
  return [...addressWarnings(project.baseUrl), ...(project.sources.length === 0 ? [text] : [])];
}
