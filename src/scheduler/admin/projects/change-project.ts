// The changes of a push project by an admin or operator, for the API and the command line: each is one transaction with its audit row.
import type { Clock } from '../../../platform/clock.js';
import type { Database, Sql } from '../../../platform/database/database.js';
import { notFound, Problem } from '../../../platform/http/problem.js';
import type { Sealer } from '../../../platform/secrets/sealed.js';
import type { ZoneRules } from '../../../zone-rules/zone-rules.js';
import type { GatewayHosts } from '../../push-client/gateway-hosts.js';
import { writeAudit } from '../../store/audit.store.js';
import { beyondBounds, BEYOND_BOUNDS, boundsSet, type GivenBounds } from './project-bounds.js';
import {
  insertProject,
  lockProject,
  patchProject,
  putApiKey,
  putBounds,
  putKey,
  removeKey,
  viewProject,
  type ProjectView,
} from './project-write.store.js';
import {
  refusedAddress,
  refusedTopic,
  unknownZones,
  type CreateProjectBody,
  type KeyBody,
  type PatchProjectBody,
} from './project-body.js';

export interface ChangeProjectDeps {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly rules: ZoneRules;
  readonly hosts: GatewayHosts;
  /** Carillon's own topics: no project may name them. */
  readonly topics: readonly string[];
  /** CARILLON_REJECTION_TOPICS. */
  readonly rejectionTopics: readonly string[];
}

export class ChangeProject {
  constructor(private readonly deps: ChangeProjectDeps) {}

  /** Throws 409 PROJECT_EXISTS, 400 with UNKNOWN_ZONE or ADDRESS_REFUSED. */
  async create(
    { serviceId, key, apiKey, bounds, ...settings }: CreateProjectBody,
    who: string,
  ): Promise<ProjectView> {
    this.#checkNames(settings);
    const now = this.#now();
    const { database, sealer } = this.deps;
    return database.transaction(async (sql) => {
      if (!(await insertProject(sql, { serviceId, settings, now }))) {
        throw new Problem(409, 'PROJECT_EXISTS', 'there is a project with this serviceId already');
      }
      // Only a token for all services comes this far, because it names the address.
      await putBounds(sql, serviceId, boundsSet(settings, bounds));
      if (key !== undefined) await putKey(sql, sealer, { serviceId, ...key, now });
      if (apiKey !== undefined) await putApiKey(sql, sealer, serviceId, apiKey);
      const after = await this.#view(sql, serviceId);
      await writeAudit(sql, { at: now, who, action: 'project.create', target: serviceId, serviceId, after });
      return after;
    });
  }

  /**
   * Throws 404 for an unknown project. `isForAll`: the caller holds every service, so its settings set the bounds; for other callers
   * throws 403 BEYOND_BOUNDS.
   */
  async patch(
    serviceId: string,
    { apiKey, bounds, ...settings }: PatchProjectBody,
    who: string,
    isForAll: boolean,
  ): Promise<ProjectView> {
    this.#checkNames(settings);
    return this.#change(serviceId, who, 'project.change', async (sql, now, before) => {
      if (isForAll) await putBounds(sql, serviceId, boundsSet(settings, bounds));
      else mustKeepBounds(settings, before);
      await patchProject(sql, { serviceId, settings, now });
      if (apiKey !== undefined) await putApiKey(sql, this.deps.sealer, serviceId, apiKey ?? undefined);
    });
  }

  /** From then on this key is tried first, and the former first key second. */
  async addKey(serviceId: string, key: KeyBody, who: string): Promise<ProjectView> {
    return this.#change(serviceId, who, 'project.key', (sql, now) =>
      putKey(sql, this.deps.sealer, { serviceId, ...key, now }),
    );
  }

  /** Ends a rotation. Throws 404 for a key it does not have, 409 LAST_KEY. */
  async removeKey(serviceId: string, accessKey: string, who: string): Promise<ProjectView> {
    return this.#change(serviceId, who, 'project.key.remove', async (sql) => {
      const ended = await removeKey(sql, serviceId, accessKey);
      if (ended === 'unknown') throw notFound('key');
      if (ended === 'last') {
        const text = 'it is the project’s only key: give it another first, or stop the project';
        throw new Problem(409, 'LAST_KEY', text);
      }
    });
  }

  async #change(
    serviceId: string,
    who: string,
    action: string,
    change: (sql: Sql, now: Date, before: ProjectView) => Promise<void>,
  ): Promise<ProjectView> {
    const now = this.#now();
    return this.deps.database.transaction(async (sql) => {
      if (!(await lockProject(sql, serviceId)))
        throw new Problem(404, 'NOT_FOUND', 'there is no such project');
      const before = await this.#view(sql, serviceId);
      await change(sql, now, before);
      const after = await this.#view(sql, serviceId);
      await writeAudit(sql, { at: now, who, action, target: serviceId, serviceId, before, after });
      return after;
    });
  }

  async #view(sql: Sql, serviceId: string): Promise<ProjectView> {
    const view = await viewProject(sql, serviceId, this.#now());
    if (view === undefined) throw new Error('a project vanished within its own transaction');
    return view;
  }

  #checkNames(settings: PatchProjectBody): void {
    const { rules, hosts } = this.deps;
    const problems = [
      ...refusedAddress(settings, hosts),
      ...refusedTopic(settings, this.deps),
      ...unknownZones(settings, rules),
    ];
    if (problems.length === 0) return;
    throw new Problem(400, 'INVALID_REQUEST', 'a setting has a value that cannot be used', { problems });
  }

  #now(): Date {
    return new Date(this.deps.clock.now());
  }
}

function mustKeepBounds(settings: GivenBounds, { bounds }: ProjectView): void {
  const problems = beyondBounds(settings, bounds);
  if (problems.length === 0) return;
  const text = 'a setting goes beyond what a token for all services lets this service set';
  throw new Problem(403, BEYOND_BOUNDS, text, { problems });
}
