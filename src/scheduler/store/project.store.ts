// Push projects (one per serviceId) with their keys, cached for at most 5 s, because the dispatcher asks for one with every send. Secrets
// are decrypted in memory only; the API shows none.
import { z } from 'zod';
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import { Secret } from '../../platform/env.js';
import { listOf } from '../../platform/http/zod-schemas.js';
import { SealError, type SealedColumn, type Sealer } from '../../platform/secrets/sealed.js';
import { TimedCache } from '../../platform/timed-cache.js';

/** The secrets of project keys, and API keys. */
export const SECRET: SealedColumn = {
  table: 'project_key',
  column: 'secret_sealed',
  key: ['service_id', 'access_key'],
};
export const API_KEY: SealedColumn = { table: 'project', column: 'api_key_sealed', key: ['service_id'] };

/** A project without its keys: the columns of `project`. */
export const ProjectSettings = z.object({
  serviceId: z.string(),
  baseUrl: z.string().describe('Where its requests go'),
  sources: listOf(z.string()).describe('Event sources it takes over Kafka, exact or prefix/*'),
  rejectionsTopic: z
    .string()
    .nullable()
    .describe('Kafka topic for its rejected events, in addition to campaign.events.dead'),
  defaultZone: z
    .string()
    .describe('Shown where no zone is named, and the fallback of recipients without one'),
  gatewayZone: z.string().describe("The zone in which the gateway's date-times are read"),
  principalZones: z.record(z.string(), z.string()).describe('Country to zone, for countries with several'),
  policyDefaults: z
    .record(z.string(), z.unknown())
    .describe("Members of an event's policy, as a publisher would write them"),
  reservations: z.boolean().describe('Whether its gateway takes reservations'),
  minReserveLeadMs: z.number(),
  reserveHorizonMs: z.number(),
  maxTo: z.int().describe('User ids in one request'),
  lookupMax: z.int().describe('Registered offsets that one campaign may have looked up'),
  ratePerSecond: z.int().describe('Requests a second, all processes together'),
  inFlight: z.int().describe('Requests at once'),
  maxRetries: z.int(),
  extensions: listOf(z.string()).describe(
    'Extensions in use: what the newest answer of its gateway named, without what is switched off',
  ),
  extensionsOff: listOf(z.string()).describe('Extensions that are not used even if its gateway offers them'),
  onUncertain: z.enum(['wait', 'resend']),
  weight: z.int().describe('Turns it takes where other projects take one'),
  approval: z
    .enum(['none', 'required'])
    .describe(
      'required: each of its campaigns waits until another token approves it than the one that published it',
    ),
});
export type ProjectSettings = z.output<typeof ProjectSettings>;

export interface ProjectKey {
  readonly accessKey: string;
  readonly secretKey: Secret;
}

export interface Project extends ProjectSettings {
  /** The key to try first, then the key to try after a 401/200. Empty: there is none, or none can be decrypted (keyFault). */
  readonly keys: readonly ProjectKey[];
  /** Some gateways need it in addition to the signature. */
  readonly apiKey: Secret | undefined;
  /** Why a stored key or API key is missing above: it is sealed under a master key that this process does not have. */
  readonly keyFault: string | undefined;
  /** Nobody calls it until then; `Infinity`: until somebody starts it. It may be as old as the cache: SQL decides. */
  readonly blockedUntil: number | undefined;
  readonly blockedCode: string | undefined;
  /** The gateway's own words, where the gateway caused the block. */
  readonly blockedDetail: string | undefined;
}

export const SETTINGS_COLUMNS = `service_id as "serviceId", base_url as "baseUrl", sources,
  rejections_topic as "rejectionsTopic", default_zone as "defaultZone",
  gateway_zone as "gatewayZone", principal_zones as "principalZones", policy_defaults as "policyDefaults",
  reservations, min_reserve_lead_ms::float8 as "minReserveLeadMs", reserve_horizon_ms::float8 as "reserveHorizonMs",
  max_to as "maxTo", lookup_max as "lookupMax", rate_per_second as "ratePerSecond", in_flight as "inFlight",
  max_retries as "maxRetries", extensions, extensions_off as "extensionsOff", on_uncertain as "onUncertain", weight, approval`;

interface CachedRow extends ProjectSettings {
  readonly apiKeySealed: string | null;
  readonly blockedUntilMs: number | null;
  readonly blockedCode: string | null;
  readonly blockedDetail: string | null;
  readonly keys: readonly { accessKey: string; sealed: string }[];
}

export class ProjectStore {
  readonly #cache: TimedCache<Project | undefined>;

  constructor(
    private readonly sql: Sql,
    private readonly sealer: Sealer,
    clock: Clock,
  ) {
    this.#cache = new TimedCache({ ttlMs: 5_000, max: 10_000, clock });
  }

  /** undefined for an unknown serviceId, which is cached as well. */
  get(serviceId: string): Promise<Project | undefined> {
    return this.#cache.get(serviceId, async () => (await this.#load([serviceId])).get(serviceId));
  }

  /** Reads it from the database, not from the cache. */
  fresh(serviceId: string): Promise<Project | undefined> {
    this.#cache.delete(serviceId);
    return this.get(serviceId);
  }

  /** The projects that exist, with one query for all that are not cached. */
  async getMany(serviceIds: readonly string[]): Promise<Map<string, Project>> {
    const found = await this.#cache.getMany(serviceIds, (missing) => this.#load(missing), undefined);
    return new Map([...found].flatMap(([id, project]) => (project === undefined ? [] : [[id, project]])));
  }

  /** Called when a project or key changed, here or (by NOTIFY) elsewhere. */
  forget(): void {
    this.#cache.clear();
  }

  async #load(serviceIds: readonly string[]): Promise<Map<string, Project>> {
    const rows = await this.sql.query<CachedRow>(
      `select ${SETTINGS_COLUMNS}, api_key_sealed as "apiKeySealed", blocked_code as "blockedCode",
              blocked_detail as "blockedDetail",
              extract(epoch from blocked_until)::float8 * 1000 as "blockedUntilMs",
              coalesce((select jsonb_agg(jsonb_build_object('accessKey', access_key, 'sealed', secret_sealed) order by position)
                          from project_key k where k.service_id = p.service_id), '[]') as keys
         from project p where service_id = any($1::text[])`,
      [serviceIds],
    );
    return new Map(rows.map((row) => [row.serviceId, this.#open(row)]));
  }

  #open({ apiKeySealed, blockedUntilMs, blockedCode, blockedDetail, keys, ...settings }: CachedRow): Project {
    let keyFault: string | undefined;
    const open = (sealed: string, ...place: [SealedColumn, ...string[]]): Secret | undefined => {
      try {
        return new Secret(this.sealer.open(sealed, ...place));
      } catch (error) {
        if (!(error instanceof SealError)) throw error;
        keyFault = error.message;
        return undefined;
      }
    };
    const opened = keys.flatMap(({ accessKey, sealed }) => {
      const secretKey = open(sealed, SECRET, settings.serviceId, accessKey);
      return secretKey === undefined ? [] : [{ accessKey, secretKey }];
    });
    const apiKey = apiKeySealed === null ? undefined : open(apiKeySealed, API_KEY, settings.serviceId);
    return {
      ...settings,
      keys: opened,
      apiKey,
      keyFault,
      blockedUntil: blockedUntilMs ?? undefined,
      blockedCode: blockedCode ?? undefined,
      blockedDetail: blockedDetail ?? undefined,
    };
  }
}

/** A text of a project's address and keys, to notice a change of either. Keep it in memory only: it has secrets. */
export function addressOf({ baseUrl, keys }: Pick<Project, 'baseUrl' | 'keys'>): string {
  return [baseUrl, ...keys.flatMap((key) => [key.accessKey, key.secretKey.reveal()])].join('\n');
}
