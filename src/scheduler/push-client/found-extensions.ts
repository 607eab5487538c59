// Keeps in a project's row which extensions its gateway offers, as the answers to its signed requests name them (push-decisions.md,
// "Extensions"). Uses none: every caller reads the project.
import type { Sql } from '../../platform/database/database.js';
import type { Log } from '../../platform/logging/log.js';
import type { Extension } from '../../push-contract/headers.js';
import { CHANNELS } from '../store/channels.js';
import type { Project } from '../store/project.store.js';

export class FoundExtensions {
  /** What was seen of a project and is in its row, or on its way there. A project whose row was read anew is another object. */
  readonly #seen = new WeakMap<Project, readonly Extension[]>();

  constructor(private readonly deps: { readonly sql: Sql; readonly log: Log }) {}

  /** Called with every answer, so it does nothing where nothing is new. */
  seen(project: Project, offers: readonly Extension[]): void {
    if (this.#seen.get(project) === offers) return;
    this.#seen.set(project, offers);
    const { serviceId, extensions, extensionsOff } = project;
    const used = offers.filter((name) => !extensionsOff.includes(name)).join(', ');
    const before = extensions.join(', ');
    if (used === before) return;
    this.deps.log.info({ serviceId, used, before }, 'the gateway offers other extensions');
    void this.#write(project, offers);
  }

  /** Without what is switched off by now. By the primary key. Never rejects: after a failure the next answer tries again. */
  async #write(project: Project, offers: readonly Extension[]): Promise<void> {
    const { serviceId } = project;
    try {
      await this.deps.sql.query(
        `with found as (
           update project p set extensions = array(select e from unnest($2::text[]) e where e <> all(p.extensions_off))
            where service_id = $1 returning 1)
         select pg_notify('${CHANNELS.access}', '') from found`,
        [serviceId, offers],
      );
    } catch (error) {
      this.#seen.delete(project);
      this.deps.log.error({ err: error, serviceId }, 'the extensions of a gateway could not be written');
    }
  }
}
