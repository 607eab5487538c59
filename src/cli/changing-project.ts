// What the commands for push projects share: the changes of the API, straight in the database, and settings as arguments.
import { SystemClock } from '../platform/clock.js';
import { processEnvironment, readConfig } from '../platform/env.js';
import { Sealer } from '../platform/sealed.js';
import { loadZoneRules } from '../zone-rules/load-zone-rules.js';
import { ChangeProject } from '../scheduler/admin/change-project.js';
import type { ProjectView } from '../scheduler/admin/project-write.store.js';
import { GatewayHosts } from '../scheduler/push-client/gateway-hosts.js';
import { schedulerEnvironment } from '../scheduler/scheduler.config.js';
import { withDatabase } from './cli-database.js';
import { UsageError } from './usage-error.js';

/** Throws ConfigError before anything is asked for. */
export function projectChanges(): (
  work: (change: ChangeProject) => Promise<ProjectView>,
) => Promise<ProjectView> {
  const settings = readConfig(
    schedulerEnvironment.pick({
      CARILLON_MASTER_KEY: true,
      TZDATA_DIR: true,
      DATABASE_URL: true,
      CARILLON_GATEWAY_HOSTS: true,
      KAFKA_EVENTS_TOPIC: true,
      KAFKA_OUTCOMES_TOPIC: true,
      KAFKA_DEAD_TOPIC: true,
    }),
    processEnvironment(),
  );
  return (work) =>
    withDatabase((database) =>
      work(
        new ChangeProject({
          database,
          sealer: new Sealer(settings.CARILLON_MASTER_KEY),
          clock: new SystemClock(),
          rules: loadZoneRules({ directory: settings.TZDATA_DIR }),
          hosts: new GatewayHosts(settings.CARILLON_GATEWAY_HOSTS),
          topics: [settings.KAFKA_EVENTS_TOPIC, settings.KAFKA_OUTCOMES_TOPIC, settings.KAFKA_DEAD_TOPIC],
        }),
      ),
    );
}

/** `name=value`, its value as JSON or else text. */
export function readSetting(given: string): [name: string, value: unknown] {
  const cut = given.indexOf('=');
  if (cut < 1) throw new UsageError(`a setting is name=value, not ${given}`);
  const value = given.slice(cut + 1);
  try {
    return [given.slice(0, cut), JSON.parse(value)];
  } catch {
    return [given.slice(0, cut), value];
  }
}
